import { createHandleOnce } from 'handle-once';
import { createSqsWorker } from 'handle-once/sqs';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { flakyStore, refusesData } from '../engine/support/flaky-store.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
});

test('a message whose data the store refuses holds up no other: the store has answered', async () => {
  const asked: unknown[] = [];
  const Messages = [{ MessageId: 'id', ReceiptHandle: 'handle', Body: '1' }];
  const send = async (command: { input: { MaxNumberOfMessages?: number } }): Promise<object> => {
    if (command.constructor.name !== 'ReceiveMessageCommand') return {};
    asked.push(command.input.MaxNumberOfMessages);
    return asked.length === 1 ? { Messages } : await new Promise(() => undefined);
  };
  const store = flakyStore(createMemoryStore(), { claim: refusesData });
  const worker = createSqsWorker(
    {
      client: { send: send as SqsClient['send'] },
      queueUrl: 'https://sqs.example/queue',
      handleOnce: createHandleOnce({ store, scope: 's' }),
      visibilityTimeoutSeconds: 60,
    },
    () => undefined,
  );
  await worker.start();
  await vi.advanceTimersByTimeAsync(10);
  expect(worker.counts()).toMatchObject({ kept: 1 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual([10, 10]);
  const stopped = worker.stop({ drainMs: 0 });
  await vi.advanceTimersByTimeAsync(2_000);
  await stopped;
});
