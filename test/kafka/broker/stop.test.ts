import { setTimeout as sleep } from 'node:timers/promises';
import { readStats } from 'handle-once/operations';
import { describe, expect, test } from 'vitest';
import { aborted, gate, unlessAborted } from '../../support/gate.ts';
import { leave, numbered, upTo, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup, sql } = useFixture();

describe('A consumer that disconnects while handlers run', () => {
  test('waits for them, commits what they settled, and starts no more', async () => {
    const group = await setup({ partitions: 2 });
    for (const partition of [0, 1]) await group.produce(...numbered(20, partition));
    const finish = gate();
    const started: string[] = [];
    const handler = async ({ partition, message }: { partition: number; message: { offset: string } }) => {
      started.push(`${partition}-${message.offset}`);
      if (Number(message.offset) >= 5) await finish.opened;
    };
    const first = await group.start(handler, { drainMs: 20_000 });
    await until(() => started.length === 12);
    const left = leave(first);
    finish.open();
    await left;

    expect(started).toHaveLength(12);
    expect(await group.committed()).toEqual([6, 6]);
    expect(group.handleOnce.counts()).toMatchObject({ succeeded: 12 });

    await group.start(handler);
    await group.caughtUp();
    expect(started).toHaveLength(40);
    expect(new Set(started).size).toBe(40);
    expect(group.eventsOf('replayed')).toEqual([]);
    expect(await group.committed()).toEqual([20, 20]);
  });

  test('aborts those that outlast the drain: they are released, and their attempts not counted', async () => {
    const group = await setup(undefined, { maxAttempts: 1 });
    await group.produce(...numbered(6));
    const never = gate();
    const runs: string[] = [];
    const reasons: unknown[] = [];
    const first = await group.start(
      async ({ payload }, { signal, number }) => {
        runs.push(`${String(payload)} #${number}`);
        if (Number(payload) < 3) return;
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        await unlessAborted(never.opened, signal);
      },
      { ordering: 'unordered', drainMs: 100 },
    );
    await until(() => runs.length === 6);
    await leave(first);

    expect(reasons).toHaveLength(3);
    expect(reasons[0]).toMatchObject({ name: 'AbortError', message: 'the consumer stops' });
    expect(await group.committed()).toEqual([3]);
    expect((await group.records()).map(({ state, attempts }) => `${state} ${attempts}`)).toEqual([
      ...Array<string>(3).fill('succeeded 1'),
      ...Array<string>(3).fill('pending 0'),
    ]);

    await group.start(({ payload }, { number }) => runs.push(`${String(payload)} #${number}`));
    await group.caughtUp();
    expect(runs.toSorted()).toEqual([...upTo(6), 3, 4, 5].map((n) => `${n} #1`).toSorted());
    expect((await group.records()).map(({ state }) => state)).toEqual(Array<string>(6).fill('succeeded'));
    expect(await group.committed()).toEqual([6]);
  });

  test('does not wait without end for one that ignores its signal; its message is answered from its record', async () => {
    const group = await setup();
    await group.produce(...numbered(2));
    const finish = gate();
    const handled: string[] = [];
    let tellAborted: Promise<unknown> | undefined;
    const handler = async (
      { payload }: { payload: Buffer | null },
      { signal }: { signal: AbortSignal },
    ): Promise<void> => {
      handled.push(String(payload));
      tellAborted ??= aborted(signal);
      if (String(payload) === '0') await finish.opened;
    };
    const first = await group.start(handler, { drainMs: 0 });
    await until(() => handled.length === 1);
    await leave(first);
    await tellAborted;
    expect(await group.committed()).toEqual([0]);

    await group.start(handler);
    await until(() => group.eventsOf('kept').length >= 1);
    expect(group.eventsOf('kept')[0]).toMatchObject({ offset: '0', reason: 'in-flight' });
    finish.open();
    await group.caughtUp();
    expect(handled).toEqual(['0', '1']);
    expect(group.eventsOf('replayed')).toMatchObject([{ offset: '0', state: 'succeeded' }]);
    expect(await group.committed()).toEqual([2]);
  });

  test('waits for them too when the group is just about to rebalance', async () => {
    const group = await setup();
    await group.produce(...numbered(1));
    const [running, finish] = [gate(), gate()];
    const first = await group.start(
      async () => {
        running.open();
        await finish.opened;
      },
      { drainMs: 20_000 },
    );
    await running.opened;
    const second = group.start(() => expect.unreachable());
    await until(() => first.refusedHeartbeats() > 0);
    let hasLeft = false;
    const left = leave(first).then(() => (hasLeft = true));
    // Longer than the group is kept waiting for those that stay.
    await sleep(3_000);
    expect(hasLeft).toBe(false);
    finish.open();
    await Promise.all([left, second]);

    expect(group.handleOnce.counts()).toMatchObject({ claimed: 1, succeeded: 1 });
    await group.caughtUp();
    expect(await group.committed()).toEqual([1]);
  });

  test('can run again, as the same consumer', async () => {
    const group = await setup();
    await group.produce(...numbered(3));
    const handled: string[] = [];
    const handler = ({ payload }: { payload: Buffer | null }) => handled.push(String(payload));
    const member = await group.start(handler);
    await group.caughtUp();
    await leave(member);
    await group.produce(...numbered(3, 0, 3));
    await member.restart();
    await group.caughtUp();
    expect(handled).toEqual(upTo(6).map(String));
    expect(await group.committed()).toEqual([6]);
  });
});

test('A consumer is ready from its join to its end, and tells how far its partitions are', async () => {
  const group = await setup({ partitions: 2 });
  for (const partition of [0, 1]) await group.produce(...numbered(3 + partition, partition));
  const member = await group.start(() => undefined);
  await group.caughtUp();
  await until(() => member.health().ready);
  const { live, store, partitions } = member.health();
  expect({ live, store }).toEqual({ live: true, store: 'reachable' });
  expect(partitions.toSorted((one, other) => one.partition - other.partition)).toEqual([
    { topic: group.topic, partition: 0, position: '3', end: '3', progressAt: expect.any(Date) as Date },
    { topic: group.topic, partition: 1, position: '4', end: '4', progressAt: expect.any(Date) as Date },
  ]);
  await leave(member);
  expect(member.health()).toMatchObject({ live: true, ready: false, partitions: [] });
});

test('a consumer that disconnects has written what it counted', async () => {
  const group = await setup(undefined, { stats: true });
  await group.produce(...numbered(3));
  const member = await group.start(() => undefined);
  await group.caughtUp();
  await leave(member);
  const rows = await readStats({ sql, scope: group.scope });
  const succeeded = rows.filter(({ event }) => event === 'succeeded');
  expect(succeeded.reduce((sum, { count }) => sum + count, 0)).toBe(3);
});
