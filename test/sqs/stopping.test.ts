import type { SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import { createSqsWorker, type SqsEvent, type SqsWorker, type StopReport } from 'handle-once/sqs';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Fault, flakyStore } from '../engine/support/flaky-store.ts';
import { aborted, gate } from '../support/gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const queueUrl = 'https://sqs.example/queue';
const MESSAGE = { MessageId: 'id', ReceiptHandle: 'handle', Body: '1' };

interface Behaviour {
  /** The first receive brings a message; the others end when they are aborted. */
  readonly brings?: boolean;
  readonly maxReceiveCount?: number;
  readonly hangs?: string;
  readonly store?: Store;
}

/** A worker at a queue that is quiet, whose calls are made up: what is tested is how long a stop waits for what. */
async function startWorker(handler: (signal: AbortSignal) => unknown, behaviour: Behaviour) {
  const { brings = false, maxReceiveCount = 30, hangs, store = createMemoryStore() } = behaviour;
  const events: SqsEvent[] = [];
  let receives = 0;
  const hang = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  const send = (command: object, { abortSignal }: { abortSignal: AbortSignal }): Promise<object> => {
    const verb = command.constructor.name.replace(/Command$/, '');
    if (verb === hangs) return hang(abortSignal);
    if (verb === 'GetQueueAttributes') {
      const RedrivePolicy = JSON.stringify({ maxReceiveCount });
      return Promise.resolve({ Attributes: { VisibilityTimeout: '600', RedrivePolicy } });
    }
    if (verb !== 'ReceiveMessage') return Promise.resolve({ Successful: [{ Id: '0' }] });
    receives += 1;
    return brings && receives === 1 ? Promise.resolve({ Messages: [MESSAGE] }) : hang(abortSignal);
  };
  const worker = createSqsWorker(
    {
      client: { send: send as unknown as SQSClient['send'] },
      queueUrl,
      handleOnce: createHandleOnce({ store, scope: 's', maxAttempts: 1 }),
      onEvent: (event) => events.push(event),
    },
    (_, { signal }) => handler(signal),
  );
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  // The second does nothing.
  await Promise.all([worker.start(), worker.start()]);
  await vi.advanceTimersByTimeAsync(10);
  return { worker, events };
}

test('a stop while the worker starts: nothing is received', async () => {
  const verbs: string[] = [];
  let answer = (): void => undefined;
  const send = (command: object): Promise<object> => {
    verbs.push(command.constructor.name);
    return new Promise((resolve) => {
      answer = () => {
        resolve({ Attributes: { VisibilityTimeout: '600' } });
      };
    });
  };
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's' });
  const client = { send: send as unknown as SQSClient['send'] };
  const worker = createSqsWorker({ client, queueUrl, handleOnce }, () => undefined);
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const started = worker.start();
  const stopped = worker.stop();
  await vi.advanceTimersByTimeAsync(9_000);
  answer();
  expect(await Promise.all([started, stopped])).toEqual([undefined, { abandoned: 0 }]);
  expect(verbs).toEqual(['GetQueueAttributesCommand']);
  expect(worker.health()).toMatchObject({ live: true, ready: false });
});

test('a stop while a message is claimed: it does not start, and is returned uncounted', async () => {
  const mayClaim = gate();
  const memory = createMemoryStore();
  const claim: Fault = (call) => mayClaim.opened.then(call);
  const handler = vi.fn();
  const { worker, events } = await startWorker(handler, {
    brings: true,
    store: flakyStore(memory, { claim }),
  });
  const stop = stopping(worker);
  mayClaim.open();
  await vi.advanceTimersByTimeAsync(1_100);
  expect(stop.report).toEqual({ abandoned: 0 });
  expect(handler).not.toHaveBeenCalled();
  expect(events.map(({ type }) => type)).toEqual(['received', 'returned']);
  expect(memory.records()).toMatchObject([{ key: 'id', attempts: 0 }]);
});

/** A stop, with what it has reported so far. */
function stopping(worker: SqsWorker, options?: { drainMs: number }) {
  const stop: { report?: StopReport } = {};
  void worker.stop(options).then((report) => {
    stop.report = report;
  });
  return stop;
}

test('a queue that does not tell its receives leaves the count of the event undefined', async () => {
  const { events } = await startWorker(() => undefined, { brings: true });
  expect(events).toContainEqual({ type: 'received', messageId: 'id', receiveCount: undefined });
});

test('an idle long poll gets one second more, and is then aborted; a new start goes on', async () => {
  const { worker, events } = await startWorker(() => undefined, {});
  const stop = stopping(worker);
  await vi.advanceTimersByTimeAsync(900);
  expect(stop.report).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(stop.report).toEqual({ abandoned: 0 });
  expect(events.filter(({ type }) => type === 'queue-error')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  await worker.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(worker.health()).toMatchObject({ live: true, queue: { answeredAt: undefined } });
  expect(events.map(({ type }) => type)).toEqual(['queue-error']);
});

test('where one receive is all that a message gets, the long poll is waited for, also after the drain', async () => {
  const { worker } = await startWorker(() => undefined, { maxReceiveCount: 1 });
  const stop = stopping(worker, { drainMs: 0 });
  await vi.advanceTimersByTimeAsync(19_000);
  expect(stop.report).toBeUndefined();
  // The poll ends when its call times out: this queue never answers.
  await vi.advanceTimersByTimeAsync(17_000);
  expect(stop.report).toEqual({ abandoned: 0 });
});

test('a second stop with a shorter drain shortens the first', async () => {
  let abortedAfter: number | undefined;
  const { worker } = await startWorker(
    async (signal) => {
      await aborted(signal);
      abortedAfter = performance.now() - startedAt;
    },
    { brings: true },
  );
  const startedAt = performance.now();
  const first = stopping(worker);
  await vi.advanceTimersByTimeAsync(2_000);
  const second = stopping(worker, { drainMs: 500 });
  await vi.advanceTimersByTimeAsync(501);
  expect(abortedAfter).toBe(2_500);
  await vi.advanceTimersByTimeAsync(100);
  expect([first.report, second.report]).toEqual([{ abandoned: 0 }, { abandoned: 0 }]);
});

test('a second stop with a longer drain does not lengthen the first, and both tell what was abandoned', async () => {
  const { worker } = await startWorker(() => new Promise(() => undefined), { brings: true });
  const first = stopping(worker, { drainMs: 1_000 });
  const second = stopping(worker);
  await vi.advanceTimersByTimeAsync(6_100);
  expect([first.report, second.report]).toEqual([{ abandoned: 1 }, { abandoned: 1 }]);
  expect(await worker.stop()).toEqual({ abandoned: 1 });
});

test('a handler that has ended is not abandoned, though its delete still runs', async () => {
  const { worker } = await startWorker(() => 'done', { brings: true, hangs: 'DeleteMessageBatch' });
  const stop = stopping(worker, { drainMs: 0 });
  await vi.advanceTimersByTimeAsync(5_100);
  expect(stop.report).toEqual({ abandoned: 0 });
});
