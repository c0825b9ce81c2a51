import type { SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import { createSqsWorker, type SqsEvent, onceEachSqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const queueUrl = 'https://sqs.example/queue';

/** A client whose connection hangs: its calls end when they are aborted, as the SDK's do, and never otherwise. */
function hangingClient() {
  const calls: string[] = [];
  const send = (command: object, { abortSignal }: { abortSignal: AbortSignal }): Promise<never> => {
    calls.push(command.constructor.name);
    return new Promise((_, reject) => {
      abortSignal.addEventListener('abort', () => {
        reject(abortSignal.reason as Error);
      });
    });
  };
  return { send: send as unknown as SQSClient['send'], calls };
}

const handleOnce = () => createHandleOnce({ store: createMemoryStore(), scope: 's', leaseMs: 10_000 });

test('a receive that never ends is given up, and the worker goes on', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const client = hangingClient();
  const events: SqsEvent[] = [];
  const worker = createSqsWorker(
    {
      client,
      queueUrl,
      handleOnce: handleOnce(),
      visibilityTimeoutSeconds: 30,
      onEvent: (event) => events.push(event),
    },
    () => undefined,
  );
  const started = worker.start();
  await vi.advanceTimersByTimeAsync(15_000);
  await started;
  expect(client.calls).toEqual(['GetQueueAttributesCommand', 'ReceiveMessageCommand']);

  // Its own wait of 20 seconds, and 15 more.
  await vi.advanceTimersByTimeAsync(35_000 + 200);
  expect(events.at(-1)).toMatchObject({
    type: 'queue-error',
    verb: 'receive',
    error: { name: 'TimeoutError' },
  });
  expect(client.calls.slice(2)).toEqual(['ReceiveMessageCommand']);

  const stopped = worker.stop({ drainMs: 0 });
  await vi.advanceTimersByTimeAsync(1);
  expect(await stopped).toEqual({ abandoned: 0 });
  expect(vi.getTimerCount()).toBe(0);
});

test('a delete that never ends is given up: the message is left', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const client = hangingClient();
  const handle = onceEachSqsMessage(
    { client, queueUrl, handleOnce: handleOnce(), visibilityTimeoutSeconds: 60, onEvent: () => undefined },
    () => 'done',
  );
  const handled = handle({ MessageId: 'id', ReceiptHandle: 'handle', Body: '1' });
  await vi.advanceTimersByTimeAsync(15_000 + 15_000);
  expect(await handled).toMatchObject({ action: 'kept', error: { name: 'TimeoutError' } });
  expect(client.calls).toEqual(['GetQueueAttributesCommand', 'DeleteMessageBatchCommand']);
  expect(vi.getTimerCount()).toBe(0);
});
