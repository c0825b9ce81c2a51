import { type Attempt, type createHandleOnce, type HandleOnce, TerminalError } from 'handle-once';
import { createSqsWorker, type SqsWorker, type SqsWorkerOptions } from 'handle-once/sqs';
import type { TransactionSql } from 'postgres';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createQueue } from '../support/sqs.ts';
import { gate, unlessAborted } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { useFixture } from './support/fixture.ts';
import { sendMany } from './support/send-many.ts';

const { client, sql, setup } = useFixture('elasticmq');

beforeAll(async () => {
  await sql`create table shipped (n serial, id text not null, tx text not null default pg_current_xact_id())`;
});

beforeEach(async () => {
  await sql`truncate shipped`;
});

async function shipped() {
  return await sql<{ id: string; tx: string }[]>`select id, tx from shipped order by n`;
}

async function ship(tx: TransactionSql, ids: readonly unknown[]): Promise<void> {
  for (const id of ids) await tx`insert into shipped (id) values (${String(id)})`;
}

const bodies = (...ids: readonly string[]) => ids.map((id) => JSON.stringify(id));

interface Given extends Partial<
  Omit<SqsWorkerOptions<undefined, unknown>, 'handleOnce' | 'inTransaction' | 'batch'>
> {
  readonly fifo?: boolean;
  readonly handleOnce?: Partial<Parameters<typeof createHandleOnce>[0]>;
  readonly size?: number;
  readonly waitMs?: number;
}

type Run = (
  ids: readonly string[],
  more: { readonly tx: TransactionSql; readonly signal: AbortSignal; readonly groups: readonly unknown[] },
) => unknown;

/** A worker with a batch handler in a transaction, which is not started yet. */
async function makeWorker(given: Given, run: Run) {
  const { fifo = false, size = 10, waitMs = 5_000, handleOnce: ofOnce, ...options } = given;
  const queue = await setup({ fifo, visibilityTimeoutSeconds: 60 }, ofOnce);
  const { queueUrl, onEvent } = queue;
  const runs: string[][] = [];
  const worker = createSqsWorker(
    {
      ...{ client, queueUrl, onEvent, waitTimeSeconds: 1, concurrency: 1, onFailed: 'acknowledge' },
      ...options,
      handleOnce: queue.handleOnce as HandleOnce<TransactionSql>,
      inTransaction: true,
      batch: { size, waitMs },
      parse: (body) => JSON.parse(body) as string,
    },
    async (ids, attempts, tx) => {
      runs.push([...ids]);
      const { signal } = attempts[0] as Attempt;
      const groups = attempts.map(({ message }) => message.Attributes?.MessageGroupId);
      await run(ids, { tx, signal, groups });
    },
  );
  stopAtTheEnd(worker);
  return { queue, queueUrl, worker, runs };
}

function stopAtTheEnd(worker: SqsWorker): void {
  onTestFinished(async () => {
    await worker.stop({ drainMs: 0 });
  });
}

test('messages of several receives are handled in one call, in one transaction', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `id-${n}`);
  const { queue, worker, queueUrl, runs } = await makeWorker({ size: 20 }, (all, { tx }) => ship(tx, all));
  await sendMany(client, queueUrl, bodies(...ids));
  await worker.start();
  await until(() => worker.counts().acknowledged === 20);
  expect(runs.map((each) => each.length)).toEqual([20]);
  const rows = await shipped();
  expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(new Set(rows.map(({ tx }) => tx)).size).toBe(1);
  expect(queue.handleOnce.counts()).toEqual({ claimed: 20, succeeded: 20 });
  await queue.empty();
});

test('one bad message undoes the batch, and is kept alone: the others are done', async () => {
  const { queue, worker, queueUrl, runs } = await makeWorker(
    { handleOnce: { backoff: () => 600_000 } },
    async (ids, { tx }) => {
      await ship(tx, ids);
      if (ids.includes('bad')) throw new Error('not now');
    },
  );
  await sendMany(client, queueUrl, bodies('a', 'b', 'bad', 'c', 'd'));
  await worker.start();
  await until(() => worker.counts().acknowledged === 4 && worker.counts().kept === 1);
  expect(runs[0]).toHaveLength(5);
  expect(runs.slice(1).flat().toSorted()).toEqual(['a', 'b', 'bad', 'c', 'd']);
  expect((await shipped()).map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'released', visibleAfterSeconds: 600 }]);
  expect(queue.handleOnce.counts()).toMatchObject({ succeeded: 4, released: 1 });
});

test('without a transaction the handler says which have failed', async () => {
  const queue = await setup({ visibilityTimeoutSeconds: 60 }, { backoff: () => 600_000 });
  const { queueUrl, handleOnce, onEvent } = queue;
  await sendMany(client, queueUrl, bodies('a', 'bad', 'c', 'never'));
  const worker = createSqsWorker(
    {
      ...{ client, queueUrl, handleOnce, onEvent, waitTimeSeconds: 1, onFailed: 'acknowledge' },
      batch: { size: 10, waitMs: 5_000 },
    },
    (ids, attempts) => {
      attempts[ids.indexOf('bad')]?.fail(new Error('not now'));
      attempts[ids.indexOf('never')]?.fail(new TerminalError('never'));
    },
  );
  stopAtTheEnd(worker);
  await worker.start();
  await until(() => worker.counts().acknowledged === 3 && worker.counts().kept === 1);
  expect(queue.handleOnce.counts()).toMatchObject({ claimed: 4, succeeded: 2, failed: 1, released: 1 });
});

test('a handler that always throws uses up the attempts of each message', async () => {
  const { queue, worker, queueUrl, runs } = await makeWorker(
    { handleOnce: { maxAttempts: 2, backoff: () => 0 } },
    () => {
      throw new Error('always');
    },
  );
  await sendMany(client, queueUrl, bodies('a', 'b', 'c'));
  await worker.start();
  await until(() => worker.counts().acknowledged === 3);
  expect(runs.map((each) => each.length)).toEqual([3, 1, 1, 1, 1, 1, 1]);
  expect(queue.handleOnce.counts()).toMatchObject({ failed: 3 });
});

test('a message that has been handled is answered from its record', async () => {
  const { worker, queueUrl, runs } = await makeWorker({ key: ({ Body }) => Body }, (ids, { tx }) =>
    ship(tx, ids),
  );
  await sendMany(client, queueUrl, bodies('a'));
  await worker.start();
  await until(() => worker.counts().acknowledged === 1);
  await sendMany(client, queueUrl, bodies('b', 'a', 'c', 'c'));
  await until(() => worker.counts().acknowledged === 5);
  expect(worker.counts()).toMatchObject({ replayed: 2 });
  expect(runs.flat().toSorted()).toEqual(['a', 'b', 'c']);
  expect((await shipped()).map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c']);
});

test('a batch does not wait for others that cannot come', async () => {
  const { worker, queueUrl } = await makeWorker({ waitMs: 60_000, waitTimeSeconds: 0 }, () => undefined);
  await sendMany(client, queueUrl, bodies('a'));
  await worker.start();
  await until(() => worker.counts().acknowledged === 1);
});

test('in a FIFO group what is behind a kept message does not run, and comes again behind it', async () => {
  const { queue, worker, runs } = await makeWorker(
    { fifo: true, handleOnce: { backoff: () => 1_000 } },
    async (ids, { tx }) => {
      await ship(tx, ids);
      if (ids.includes('a1') && runs.filter((each) => each.includes('a1')).length < 3)
        throw new Error('not now');
    },
  );
  for (const id of ['a0', 'a1', 'a2', 'a3']) await queue.send(JSON.stringify(id), { group: 'a' });
  for (const id of ['b0', 'b1']) await queue.send(JSON.stringify(id), { group: 'b' });
  await worker.start();
  await until(() => worker.counts().acknowledged === 6);
  const done = (await shipped()).map(({ id }) => id);
  expect(done.filter((id) => id.startsWith('a'))).toEqual(['a0', 'a1', 'a2', 'a3']);
  expect(done.filter((id) => id.startsWith('b'))).toEqual(['b0', 'b1']);
  expect(queue.eventsOf('returned')).toHaveLength(2);
  // The first batch, and the run of the message alone.
  expect(queue.eventsOf('kept')).toHaveLength(1);
  const receives = queue.eventsOf('received').map(({ receiveCount }) => receiveCount);
  expect(receives.toSorted()).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2]);
});

test('a FIFO group is never in two batches at once, and other groups go on', async () => {
  const running = new Set<unknown>();
  let isTwice = false;
  let most = 0;
  const { queue, worker, runs } = await makeWorker(
    { fifo: true, size: 2, waitMs: 10, concurrency: 3 },
    async (ids, { tx, groups }) => {
      const own = [...new Set(groups)];
      isTwice ||= own.some((group) => running.has(group));
      for (const group of own) running.add(group);
      most = Math.max(most, running.size);
      await tx`select pg_sleep(0.05)`;
      await ship(tx, ids);
      for (const group of own) running.delete(group);
    },
  );
  const groups = ['a', 'b', 'c'];
  for (let n = 0; n < 7; n += 1) {
    for (const group of groups) await queue.send(JSON.stringify(`${group}${n}`), { group });
  }
  await worker.start();
  await until(() => worker.counts().acknowledged === 21);
  expect([isTwice, most > 1]).toEqual([false, true]);
  expect(runs.every((each) => each.length <= 2)).toBe(true);
  const done = (await shipped()).map(({ id }) => id);
  for (const group of groups) {
    expect(done.filter((id) => id.startsWith(group))).toEqual(
      Array.from({ length: 7 }, (_, n) => `${group}${n}`),
    );
  }
});

test('a stop gives back what has not started, and ends a batch that outlasts the drain', async () => {
  const never = gate();
  const { queue, worker, queueUrl, runs } = await makeWorker({ size: 3 }, async (ids, { tx, signal }) => {
    await ship(tx, ids);
    await unlessAborted(never.opened, signal);
  });
  await sendMany(client, queueUrl, bodies('1', '2', '3', '4', '5', '6'));
  await worker.start();
  await until(() => runs.length === 1 && worker.counts().received === 6);
  expect(await worker.stop({ drainMs: 100 })).toEqual({ abandoned: 0 });
  expect(runs).toHaveLength(1);
  expect(queue.eventsOf('returned')).toHaveLength(3);
  expect(queue.eventsOf('kept')).toMatchObject(Array(3).fill({ reason: 'released' }));
  expect(await shipped()).toEqual([]);
  await until(async () => (await queue.size()).visible === 6);
  expect(queue.handleOnce.counts()).not.toHaveProperty('succeeded');
});

test('a stop reports the messages of a batch that was given up, and whose handler goes on', async () => {
  const mayEnd = gate();
  onTestFinished(mayEnd.open);
  const given = { size: 3, handleOnce: { timeoutMs: 100 } };
  const { queue, worker, queueUrl } = await makeWorker(given, () => mayEnd.opened);
  await sendMany(client, queueUrl, bodies('1', '2', '3'));
  await worker.start();
  await until(() => worker.counts().kept === 3);
  expect(queue.eventsOf('kept')).toMatchObject(Array(3).fill({ reason: 'unrecorded' }));
  expect(await worker.stop({ drainMs: 0 })).toEqual({ abandoned: 3 });
});

test('a stop waits for a batch that ends within the drain', async () => {
  const mayEnd = gate();
  const { worker, queueUrl, runs } = await makeWorker({ size: 3 }, async (ids, { tx }) => {
    await mayEnd.opened;
    await ship(tx, ids);
  });
  await sendMany(client, queueUrl, bodies('1', '2', '3', '4'));
  await worker.start();
  await until(() => runs.length === 1 && worker.counts().received === 4);
  const stopped = worker.stop();
  await until(() => worker.counts().returned === 1);
  mayEnd.open();
  expect(await stopped).toEqual({ abandoned: 0 });
  expect(worker.counts()).toMatchObject({ acknowledged: 3, returned: 1 });
  expect(await shipped()).toHaveLength(3);
});

test('a dead letter of a batch is sent for the guilty one alone', async () => {
  const deadLetterQueueUrl = await createQueue(client);
  const { queue, worker, queueUrl } = await makeWorker({ onFailed: { deadLetterQueueUrl } }, (ids) => {
    if (ids.includes('bad')) throw new TerminalError('never');
  });
  await sendMany(client, queueUrl, bodies('a', 'bad', 'c'));
  await worker.start();
  await until(() => worker.counts().acknowledged === 3);
  expect(queue.eventsOf('dead-lettered')).toHaveLength(1);
});
