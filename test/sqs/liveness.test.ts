import { createHandleOnce } from 'handle-once';
import { createSqsWorker, type SqsClient, type SqsWorker } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

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
  expect(worker.health()).toMatchObject({ live: true, queue: { inHand: 2 } });
});

test('a worker whose queue fails is live', async () => {
  const worker = await workerOf(() => Promise.reject(new Error('throttled')), 1);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(worker.health()).toMatchObject({ live: true, ready: false });
});
