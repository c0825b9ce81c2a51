import { createSqsWorker, type SqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { WORKER_ID } from '../../src/lib/worker-id.ts';
import { useFakeTimers } from '../support/fake-timers.ts';

useFakeTimers();

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
});

interface Command {
  readonly input: {
    readonly Entries?: readonly { readonly Id: string }[];
    readonly MaxNumberOfMessages?: number;
  };
}

const never = () => new Promise<never>(() => undefined);
const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

function message(id: string, group?: string): SqsMessage {
  const Attributes = group === undefined ? {} : { MessageGroupId: group };
  return { MessageId: id, ReceiptHandle: id, Body: JSON.stringify(id), Attributes };
}

interface Given {
  readonly size?: number;
  readonly waitMs?: number;
  readonly concurrency?: number;
  readonly queueUrl?: string;
  /** What a change of visibility answers. */
  readonly change?: () => Promise<object>;
}

/** A worker whose receives do as they are given. Gives what its handler got, and when, in milliseconds. */
async function startWorker(
  receive: (max: number, call: number) => Promise<readonly SqsMessage[]>,
  { size = 10, waitMs = 200, concurrency = 10, queueUrl = 'https://sqs.example/queue', change }: Given = {},
  handler: (ids: readonly unknown[]) => unknown = () => undefined,
) {
  const startedAt = performance.now();
  const runs: [at: number, ids: readonly unknown[]][] = [];
  let calls = 0;
  const send = async ({ constructor: { name }, input }: Command): Promise<object> => {
    if (name === 'ReceiveMessageCommand') {
      calls += 1;
      return { Messages: await receive(input.MaxNumberOfMessages ?? 0, calls) };
    }
    if (name === 'ChangeMessageVisibilityBatchCommand' && change !== undefined) return await change();
    return { Successful: input.Entries };
  };
  const worker = createSqsWorker(
    {
      ...{ client: { send }, queueUrl, concurrency },
      ...{ onFailed: 'keep', visibilityTimeoutSeconds: 60 },
      // In a process of its own: some of its batches never end.
      handleOnce: createHandleOnceIn(createHost(systemClock, WORKER_ID), {
        store: createMemoryStore(),
        scope: 's',
      }),
      batch: { size, waitMs },
    },
    async (ids) => {
      runs.push([Math.round(performance.now() - startedAt), ids]);
      await handler(ids);
    },
  );
  await worker.start();
  return { worker, runs };
}

test('messages wait for others while a receive is under way, and not longer than waitMs', async () => {
  const { runs } = await startWorker(async (_, call) => {
    if (call === 1) return [message('a')];
    if (call > 2) return await never();
    await after(150);
    return [message('b'), message('c')];
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toEqual([[200, ['a', 'b', 'c']]]);
});

test('a full batch does not wait', async () => {
  const messages = ['a', 'b', 'c'].map((id) => message(id));
  const { runs } = await startWorker(async (_, call) => (call === 1 ? messages : await never()), { size: 3 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toEqual([[0, ['a', 'b', 'c']]]);
});

test.each([
  ['a receive is empty', () => []],
  [
    'a receive fails, and the next waits',
    () => {
      throw new Error('refused');
    },
  ],
])('when %s, a batch waits no longer', async (_, second) => {
  const { runs } = await startWorker(
    async (_max, call) => {
      if (call === 1) return [message('a')];
      if (call > 2) return await never();
      await after(700);
      return second();
    },
    { waitMs: 60_000 },
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs).toEqual([[700, ['a']]]);
});

test('there is room for the messages of all batches, and of one more', async () => {
  let id = 0;
  const { worker, runs } = await startWorker(
    (max) => Promise.resolve(Array.from({ length: max }, () => message(String(id++)))),
    { size: 30, concurrency: 2 },
    never,
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs.map(([, ids]) => ids.length)).toEqual([30, 30]);
  expect(worker.counts()).toMatchObject({ received: 90 });
});

test('what comes of a FIFO group while a batch of it runs waits for its end, and takes no room from others', async () => {
  const receives = [
    ['a0', 'a1'].map((id) => message(id, 'a')),
    ['a2', 'a3', 'a4'].map((id) => message(id, 'a')),
    ['b0'].map((id) => message(id, 'b')),
  ];
  const { runs, worker } = await startWorker(
    async () => receives.shift() ?? (await never()),
    { size: 2, concurrency: 2, waitMs: 10, queueUrl: 'https://sqs.example/queue.fifo' },
    (ids) => (ids.includes('a0') ? after(1_000) : undefined),
  );
  await vi.advanceTimersByTimeAsync(5_000);
  expect(runs.map(([, ids]) => ids)).toEqual([['a0', 'a1'], ['b0'], ['a2', 'a3'], ['a4']]);
  expect(runs.map(([at]) => at >= 1_000)).toEqual([false, false, true, true]);
  expect(worker.counts()).toMatchObject({ acknowledged: 6 });
});

test('one whose visibility timeout may have lapsed does not run, and does not hold up its batch', async () => {
  let changes = 0;
  const { runs, worker } = await startWorker(
    async (_, call) => {
      if (call > 2) return await never();
      if (call === 2) await after(30_000);
      return [message(call === 1 ? 'early' : 'late')];
    },
    // Its last heartbeat is under way until 60 s.
    { waitMs: 59_700, change: () => (changes++ === 0 ? Promise.reject(new Error('refused')) : never()) },
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toEqual([[59_700, ['late']]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(worker.counts()).toMatchObject({ acknowledged: 1, kept: 1 });
});

test('handlers that outlast a stop are reported with their messages', async () => {
  const messages = ['a', 'b', 'c'].map((id) => message(id));
  const { worker, runs } = await startWorker(
    async (_, call) => (call === 1 ? messages : await never()),
    { size: 2, waitMs: 60_000, concurrency: 2 },
    never,
  );
  await vi.advanceTimersByTimeAsync(10);
  const stopped = worker.stop({ drainMs: 1_000 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await stopped).toEqual({ abandoned: 2 });
  expect(runs.map(([, ids]) => ids)).toEqual([['a', 'b']]);
  expect(worker.counts()).toMatchObject({ received: 3, returned: 1 });
});
