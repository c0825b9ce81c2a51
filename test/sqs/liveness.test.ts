import { createHandleOnce, StoreError } from 'handle-once';
import { createSqsWorker, type SqsWorker } from 'handle-once/sqs';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import type { Store } from 'handle-once/store';
import { createFakeQueue, createMemoryStore } from 'handle-once/testing';
import { expect, test, vi } from 'vitest';
import { slowQueue, useFakeTime } from './support/slow-queue.ts';

useFakeTime();

const never = () => new Promise<never>(() => undefined);

/** A started worker whose receives are answered so. Its handlers never end. */
async function workerOf(receive: () => object | Promise<object>, concurrency: number): Promise<SqsWorker> {
  const send = async (command: object): Promise<object> =>
    command.constructor.name === 'ReceiveMessageCommand' ? await receive() : {};
  const client: SqsClient = { send: send };
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's' });
  const queueUrl = 'https://sqs.example/queue';
  const options = { client, queueUrl, handleOnce, visibilityTimeoutSeconds: 60, concurrency };
  const worker = createSqsWorker(options, never);
  await worker.start();
  return worker;
}

test.each([1, 50])(
  'with concurrency %d, a worker whose client hangs is live no more',
  async (concurrency) => {
    const worker = await workerOf(never, concurrency);
    await vi.advanceTimersByTimeAsync(119_000);
    expect(worker.health()).toMatchObject({ live: true });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(worker.health()).toMatchObject({ live: false, ready: false });
  },
);

test('a worker that has all it can handle is live, however long that takes', async () => {
  let sent = 0;
  const message = () => ({ MessageId: String(sent++), ReceiptHandle: 'handle', Body: '1' });
  const worker = await workerOf(() => ({ Messages: [message(), message()] }), 1);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(worker.health()).toMatchObject({ live: true, queue: { inFlight: 2 } });
});

test('a worker whose queue fails is live', async () => {
  const worker = await workerOf(() => Promise.reject(new Error('throttled')), 1);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(worker.health()).toMatchObject({ live: true, ready: false });
});

test('a worker whose calls all hang is not ready, until one is answered', async () => {
  let isDown = false;
  const { worker } = slowQueue({
    ...{ callMs: 20, concurrency: 1, visibilityTimeoutSeconds: 60 },
    handler: () => undefined,
    hangs: () => isDown,
  });
  await worker.start();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(worker.health()).toMatchObject({ ready: true });
  isDown = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(worker.health()).toMatchObject({ live: true, ready: false, store: 'reachable' });
  isDown = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(worker.health()).toMatchObject({ ready: true });
});

test('a worker that has all it can handle, and whose heartbeats hang, is not ready', async () => {
  let isDown = false;
  const { queue, worker } = slowQueue({
    ...{ callMs: 20, concurrency: 1, visibilityTimeoutSeconds: 12 },
    handler: never,
    hangs: () => isDown,
  });
  for (const body of ['1', '2']) queue.send(body);
  await worker.start();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(worker.health()).toMatchObject({ ready: true, queue: { inFlight: 2 } });
  isDown = true;
  await vi.advanceTimersByTimeAsync(6_000);
  expect(worker.health()).toMatchObject({ ready: false });
});

test('a worker of whose calls one hangs is ready', async () => {
  let hanging = 1;
  const { queue, worker } = slowQueue({
    ...{ callMs: 20, concurrency: 20, visibilityTimeoutSeconds: 60 },
    handler: () => undefined,
    hangs: (verb) => verb === 'DeleteMessageBatch' && hanging-- > 0,
  });
  queue.send('1');
  await worker.start();
  for (let seconds = 0; seconds < 20; seconds += 1) {
    await vi.advanceTimersByTimeAsync(1_500);
    expect(worker.health()).toMatchObject({ ready: true });
  }
});

test.each([
  [
    'whose role may not read the version of the tables',
    { retriable: false },
    { ready: true, store: 'reachable' },
  ],
  ['whose database is down', { retriable: true }, { ready: false, store: 'unreachable' }],
])('a worker %s (%j) is %j', async (_, cause, health) => {
  const store: Store = {
    ...createMemoryStore(),
    check: () => Promise.reject(new StoreError('refused', cause)),
  };
  const handleOnce = createHandleOnce({ store, scope: 's', onEvent: () => undefined });
  const { client, queueUrl } = createFakeQueue({ maxReceiveCount: 3 });
  const worker = createSqsWorker({ client, queueUrl, handleOnce, visibilityTimeoutSeconds: 60 }, never);
  await worker.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(worker.health()).toMatchObject({ live: true, ...health });
  const stopped = worker.stop();
  await vi.runOnlyPendingTimersAsync();
  await stopped;
});
