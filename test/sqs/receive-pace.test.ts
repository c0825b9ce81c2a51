import { createHandleOnce } from 'handle-once';
import { createSqsWorker } from 'handle-once/sqs';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** So that a loop without pauses ends. */
const MOST_RECEIVES = 100;

async function receivesOf(reply: () => object): Promise<() => number> {
  let receives = 0;
  const send = async (command: object): Promise<object> => {
    if (command.constructor.name !== 'ReceiveMessageCommand') return {};
    receives += 1;
    if (receives >= MOST_RECEIVES) return await new Promise(() => undefined);
    return reply();
  };
  const client: SqsClient = { send: send };
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's' });
  const queueUrl = 'https://sqs.example/queue';
  const options = { client, queueUrl, handleOnce, visibilityTimeoutSeconds: 60, concurrency: 50 };
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const worker = createSqsWorker({ ...options }, () => undefined);
  await worker.start();
  onTestFinished(async () => {
    await worker.stop({ drainMs: 0 });
  });
  await vi.advanceTimersByTimeAsync(0);
  return () => receives;
}

test('receives that fail at once are paused for, longer each time', async () => {
  const receives = await receivesOf(() => {
    throw new Error('throttled');
  });
  expect(receives()).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(receives()).toBe(2);
  await vi.advanceTimersByTimeAsync(60_000);
  // 200, 400 ... 25,600 ms at most each, and half of that at least.
  expect(receives()).toBeGreaterThanOrEqual(9);
  expect(receives()).toBeLessThanOrEqual(12);
});

test('empty receives that come back at once are paused for: a short poll is no hot loop', async () => {
  const receives = await receivesOf(() => ({}));
  expect(receives()).toBe(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(receives()).toBe(11);
});
