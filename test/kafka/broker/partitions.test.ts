import { RetryableError } from 'handle-once';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { gate } from '../../support/gate.ts';
import { numbered, someHeartbeats, upTo, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup, sql } = useFixture();

describe('A message that another worker holds', () => {
  const key = ({ key }: { key: Buffer | null }) => String(key);

  /** A group whose first message is claimed by hand, with a lease that outlasts the test. */
  async function heldGroup() {
    const group = await setup(undefined, { leaseMs: 60_000 });
    const other = group.handleOnce.inScope({ kind: 'kafka', name: group.groupId });
    const [claimed, finish] = [gate(), gate()];
    const outcome = other('held', Buffer.from('0'), async () => {
      claimed.open();
      await finish.opened;
      return 'of the other';
    });
    await claimed.opened;
    await group.produce({ key: 'held', value: '0' }, { key: 'next', value: '1' });
    return { group, finish, outcome };
  }

  test('is withheld while it runs there, and then replayed', async () => {
    const { group, finish, outcome } = await heldGroup();
    const handled: string[] = [];
    await group.start(({ payload }) => handled.push(String(payload)), { key });
    await until(() => group.eventsOf('kept').length >= 2);
    expect(group.eventsOf('kept')[0]).toMatchObject({ offset: '0', key: 'held', reason: 'in-flight' });
    expect(handled).toEqual([]);
    expect(await group.committed()).toEqual([0]);

    finish.open();
    expect(await outcome).toMatchObject({ state: 'succeeded', result: 'of the other' });
    await group.caughtUp();
    expect(handled).toEqual(['1']);
    expect(group.eventsOf('replayed')).toMatchObject([{ offset: '0', state: 'succeeded' }]);
    expect(await group.committed()).toEqual([2]);
  });

  test('is taken over when its lease has lapsed', async () => {
    const { group, finish, outcome } = await heldGroup();
    const handled: string[] = [];
    await group.start(({ payload }, { number }) => handled.push(`${String(payload)} #${number}`), { key });
    await until(() => group.eventsOf('kept').length >= 1);

    await sql`
      update handle_once.records set live_until = now() - interval '1 second' where scope = ${group.scope}`;
    await group.caughtUp();
    expect(handled).toEqual(['0 #2', '1 #1']);
    finish.open();
    expect(await outcome).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(await group.committed()).toEqual([2]);
  });
});

test('a handler of three times the session timeout costs no membership, and runs once', async () => {
  const group = await setup(undefined, { leaseMs: 60_000 });
  await group.produce(...numbered(2));
  const handler = vi.fn(() => sleep(4_500));
  const member = await group.start(handler, {
    config: { sessionTimeout: 1_500 },
    ordering: 'unordered',
  });
  await group.caughtUp();

  expect(handler).toHaveBeenCalledTimes(2);
  expect(member.joins).toHaveLength(1);
  expect(group.handleOnce.counts()).toMatchObject({ claimed: 2, succeeded: 2 });
  expect(await group.committed()).toEqual([2]);
});

test('what is settled is committed while a later message of the same fetch still runs', async () => {
  const group = await setup();
  await group.produce(...numbered(3));
  const last = gate();
  await group.start(({ payload }) => (String(payload) === '2' ? last.opened : undefined));
  await group.committedTo(2);
  last.open();
  await group.caughtUp();
  expect(await group.committed()).toEqual([3]);
});

test('a partition that is withheld holds up no other', async () => {
  const group = await setup({ partitions: 4 });
  for (const partition of upTo(4)) await group.produce(...numbered(10, partition));
  const handled: number[][] = upTo(4).map(() => []);
  const stuck = ({ partition, payload }: { partition: number; payload: Buffer | null }) => {
    if (partition === 1 && Number(payload) === 3) {
      throw new RetryableError('down', { retryAfterMs: 3_600_000 });
    }
    handled[partition]?.push(Number(payload));
  };
  const member = await group.start(stuck);
  await group.committedTo(10, 3, 10, 10);
  for (const partition of [0, 2, 3]) await group.produce(...numbered(10, partition, 10));
  await group.committedTo(20, 3, 20, 20);

  expect(handled).toEqual([upTo(20), upTo(3), upTo(20), upTo(20)]);
  expect(group.eventsOf('partition-paused')).toHaveLength(1);
  await someHeartbeats(member);
  expect(member.joins).toHaveLength(1);
  expect(await group.committed()).toEqual([20, 3, 20, 20]);
});

test('a consumer all of whose partitions are withheld stays in the group', async () => {
  const group = await setup({ partitions: 2 });
  for (const partition of [0, 1]) await group.produce(...numbered(2, partition));
  let down = true;
  const handler = vi.fn(() => {
    if (down) throw new RetryableError('down', { retryAfterMs: 2_500 });
  });
  const member = await group.start(handler, { config: { sessionTimeout: 1_500 } });
  await until(() => group.eventsOf('partition-paused').length === 2);
  down = false;
  await group.caughtUp();

  expect(handler).toHaveBeenCalledTimes(6);
  expect(member.joins).toHaveLength(1);
  expect(await group.committed()).toEqual([2, 2]);
});
