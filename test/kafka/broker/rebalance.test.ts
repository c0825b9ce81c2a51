import { describe, expect, test } from 'vitest';
import { gate, unlessAborted } from '../../support/gate.ts';
import { leave, type Member, numbered, type Setup, upTo, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { setup } = useFixture();

type Handle = (
  delivery: { partition: number; message: { offset: string } },
  attempt: { signal: AbortSignal; number: number },
) => unknown;

/** A group whose first member runs a handler in each of its two partitions when the second member joins. */
async function rebalanced(group: Setup, handler: Handle, others: Handle = () => undefined) {
  for (const partition of [0, 1]) await group.produce(...numbered(3, partition));
  const started: string[] = [];
  const reasons: Record<number, unknown> = {};
  const first = await group.start((delivery, attempt) => {
    const { partition, message } = delivery;
    started.push(`${partition}-${message.offset}`);
    attempt.signal.addEventListener('abort', () => {
      reasons[partition] = attempt.signal.reason;
    });
    return handler(delivery, attempt);
  });
  await until(() => started.length === 2);
  const startedBySecond: string[] = [];
  const second = await group.start((delivery, attempt) => {
    startedBySecond.push(`${delivery.partition}-${delivery.message.offset}`);
    return others(delivery, attempt);
  });
  await until(() => first.joins.length === 2 && second.joins.length >= 1);
  const lost = second.joins.at(-1)?.[group.topic]?.[0] ?? -1;
  expect(first.joins[1]?.[group.topic]).toEqual([1 - lost]);
  return { first, second, lost, kept: 1 - lost, started, startedBySecond, reasons };
}

/** No member may commit for a partition that is another's. */
function expectNoForeignCommits({ commits, joins }: Member, topic: string): void {
  for (const { partition, afterJoins } of commits) {
    expect(joins[afterJoins - 1]?.[topic]).toContain(partition);
  }
}

describe('When another member joins while handlers run', () => {
  test('that of the partition that goes is aborted and released, and runs there; that of the other goes on', async () => {
    const group = await setup({ partitions: 2 }, { maxAttempts: 1 });
    const finish = gate();
    const { first, second, lost, kept, started, startedBySecond, reasons } = await rebalanced(
      group,
      (_, { signal }) => unlessAborted(finish.opened, signal),
    );
    await until(() => startedBySecond.length === 3);
    expect(reasons).toEqual({ [lost]: expect.objectContaining({ name: 'AbortError' }) as unknown });
    expect(startedBySecond).toEqual(upTo(3).map((n) => `${lost}-${n}`));
    expect(group.eventsOf('partition-lost')).toMatchObject([{ partition: lost }]);

    finish.open();
    await group.caughtUp();
    expect(started.toSorted()).toEqual([`${lost}-0`, ...upTo(3).map((n) => `${kept}-${n}`)].toSorted());
    expect(group.handleOnce.counts()).toMatchObject({ released: 1, succeeded: 6 });
    expect((await group.records()).map(({ attempts }) => attempts)).toEqual(Array<number>(6).fill(1));
    for (const member of [first, second]) expectNoForeignCommits(member, group.topic);
    expect(first.joins).toHaveLength(2);
    // What was fetched again while it ran waited for it, and was not claimed.
    expect(group.eventsOf('kept').filter(({ partition }) => partition === kept)).toEqual([]);
    expect(await group.committed()).toEqual([3, 3]);
  });

  test('one that ignores its signal may finish: the new owner withholds its message, and then replays it', async () => {
    const group = await setup({ partitions: 2 });
    const finish = gate();
    const { first, second, lost, started, startedBySecond, reasons } = await rebalanced(
      group,
      () => finish.opened,
    );
    await until(() => group.eventsOf('kept').some(({ reason }) => reason === 'in-flight'));
    expect(group.eventsOf('kept')[0]).toMatchObject({ partition: lost, offset: '0' });
    expect(Object.keys(reasons)).toEqual([String(lost)]);
    expect(startedBySecond).toEqual([]);

    finish.open();
    await group.caughtUp();
    expect([...started, ...startedBySecond].toSorted()).toEqual(
      [0, 1].flatMap((partition) => upTo(3).map((n) => `${partition}-${n}`)),
    );
    expect(startedBySecond).toEqual([`${lost}-1`, `${lost}-2`]);
    expect(group.eventsOf('replayed')).toMatchObject([{ partition: lost, offset: '0' }]);
    for (const member of [first, second]) expectNoForeignCommits(member, group.topic);
    expect(await group.committed()).toEqual([3, 3]);
  });

  test('a partition that goes and comes back is gone on with where the other member left off', async () => {
    const group = await setup({ partitions: 2 });
    const finish = gate();
    const { first, second, lost, started, startedBySecond } = await rebalanced(group, (_, { signal }) =>
      unlessAborted(finish.opened, signal),
    );
    await until(() => startedBySecond.length === 3);
    await leave(second);
    await until(() => first.joins.length === 3);
    finish.open();
    await group.produce(...numbered(3, lost, 3));
    await group.caughtUp();
    expect(started.filter((place) => place.startsWith(`${lost}-`))).toEqual(
      [0, 3, 4, 5].map((n) => `${lost}-${n}`),
    );
    for (const member of [first, second]) expectNoForeignCommits(member, group.topic);
    expect((await group.committed())[lost]).toBe(6);
  });

  test('members that come and go under load run each message once', async () => {
    const group = await setup({ partitions: 4 });
    const runs: string[] = [];
    const handler: Handle = async ({ partition, message }) => {
      runs.push(`${partition}-${message.offset}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    };
    for (const partition of upTo(4)) await group.produce(...numbered(150, partition));
    const first = await group.start(handler, { ordering: 'unordered', concurrency: 4 });
    await until(() => runs.length >= 50);
    const second = await group.start(handler, { ordering: 'unordered', concurrency: 4 });
    await until(() => runs.length >= 200);
    await leave(first);
    const third = await group.start(handler, { ordering: 'unordered', concurrency: 4 });
    await group.caughtUp();

    expect(runs).toHaveLength(600);
    expect(new Set(runs).size).toBe(600);
    for (const member of [first, second, third]) {
      expect(member.crashes).toEqual([]);
      expectNoForeignCommits(member, group.topic);
    }
    expect(await group.committed()).toEqual([150, 150, 150, 150]);
  });
});
