import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import { createSqsWorker } from 'handle-once/sqs';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Fault, flakyStore, isUnreachable, works } from '../engine/support/flaky-store.ts';
import { aborted } from '../support/gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** So that a loop without pauses ends. */
const MOST_RECEIVES = 100;

async function receivesOf(reply: () => object | Promise<object>): Promise<() => number> {
  let receives = 0;
  const send = async (command: object): Promise<object> => {
    if (command.constructor.name !== 'ReceiveMessageCommand') return {};
    receives += 1;
    if (receives >= MOST_RECEIVES) return await new Promise(() => undefined);
    return await reply();
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

test('an empty receive that took its time is followed by the next at once', async () => {
  const receives = await receivesOf(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return {};
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(receives()).toBe(6);
});

test('a mismatch says that the store answers, also where its message cannot be deleted', async () => {
  let isDown = false;
  const claim: Fault = (call) => (isDown ? isUnreachable : works)(call);
  const store = flakyStore(createMemoryStore(), { claim });
  const handleOnce = createHandleOnce({ store, scope: 's', onEvent: () => undefined });
  await handleOnce('id', 'another payload', () => undefined);
  const asked: (number | undefined)[] = [];
  const send = async (command: object): Promise<object> => {
    if (command instanceof DeleteMessageBatchCommand) throw new Error('the queue is down');
    if (!(command instanceof ReceiveMessageCommand)) return {};
    asked.push(command.input.MaxNumberOfMessages);
    // The second was sent before the store has failed.
    if (asked.length === 2) return {};
    isDown = asked.length === 1;
    if (asked.length > 3) return await new Promise(() => undefined);
    return { Messages: [{ MessageId: 'id', ReceiptHandle: `handle-${asked.length}`, Body: '1' }] };
  };
  const queueUrl = 'https://sqs.example/queue';
  const onFailed = { deadLetterQueueUrl: 'https://sqs.example/dead' };
  const options = { client: { send }, queueUrl, handleOnce, onFailed, visibilityTimeoutSeconds: 60 };
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const worker = createSqsWorker({ ...options, onEvent: () => undefined }, () => undefined);
  await worker.start();
  onTestFinished(async () => {
    await worker.stop({ drainMs: 0 });
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked.slice(0, 4)).toEqual([10, 10, 1, 10]);
});

test('all receives under way ask for no more messages than there is room for', async () => {
  let asked = 0;
  const send = async (command: object): Promise<object> => {
    if (!(command instanceof ReceiveMessageCommand)) return {};
    const { MaxNumberOfMessages: max = 0 } = command.input;
    const first = asked;
    asked += max;
    await new Promise((resolve) => setTimeout(resolve, 10));
    const ids = Array.from({ length: max }, (_, n) => String(first + n));
    return { Messages: ids.map((id) => ({ MessageId: id, ReceiptHandle: id, Body: '1' })) };
  };
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's' });
  const queueUrl = 'https://sqs.example/queue';
  const options = { client: { send }, queueUrl, handleOnce, visibilityTimeoutSeconds: 60, concurrency: 50 };
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const worker = createSqsWorker(options, (_, { signal }) => aborted(signal));
  await worker.start();
  onTestFinished(async () => {
    await worker.stop({ drainMs: 0 });
  });
  await vi.advanceTimersByTimeAsync(5_000);
  // A batch waits in line.
  expect(asked).toBe(60);
});
