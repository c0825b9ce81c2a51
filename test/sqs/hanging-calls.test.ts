import type { SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import { createSqsWorker, type SqsEvent, onceEachSqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
});

const queueUrl = 'https://sqs.example/queue';

/** A client whose calls hang: an abort ends them, or nothing does, as while the SDK waits for credentials. */
function hangingClient(hearsAborts: boolean) {
  const calls: string[] = [];
  const send = (command: object, { abortSignal }: { abortSignal: AbortSignal }): Promise<never> => {
    calls.push(command.constructor.name);
    return new Promise((_, reject) => {
      if (!hearsAborts) return;
      abortSignal.addEventListener('abort', () => {
        reject(abortSignal.reason as Error);
      });
    });
  };
  return { send: send as unknown as SQSClient['send'], calls };
}

const handleOnce = () => createHandleOnce({ store: createMemoryStore(), scope: 's', leaseMs: 10_000 });

describe.each([
  ['ends when it is aborted', true],
  ['hears no abort', false],
])('Of a client whose call %s', (_, hearsAborts) => {
  test('a receive that never ends is given up, and the worker goes on', async () => {
    const client = hangingClient(hearsAborts);
    const events: SqsEvent[] = [];
    const worker = createSqsWorker(
      {
        client,
        queueUrl,
        handleOnce: handleOnce(),
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

  test('a delete that never ends is made twice, and given up: the message is left', async () => {
    const client = hangingClient(hearsAborts);
    const handle = onceEachSqsMessage(
      { client, queueUrl, handleOnce: handleOnce(), visibilityTimeoutSeconds: 60, onEvent: () => undefined },
      () => 'done',
    );
    const handled = handle({ MessageId: 'id', ReceiptHandle: 'handle', Body: '1' });
    // A sixth of the visibility timeout, twice.
    await vi.advanceTimersByTimeAsync(15_000 + 2 * 10_000);
    expect(await handled).toMatchObject({ action: 'kept', error: { name: 'TimeoutError' } });
    expect(client.calls).toEqual([
      'GetQueueAttributesCommand',
      ...['DeleteMessageBatchCommand', 'DeleteMessageBatchCommand'],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a worker stops though its start hangs', async () => {
    const client = hangingClient(hearsAborts);
    const worker = createSqsWorker(
      { client, queueUrl, handleOnce: handleOnce(), visibilityTimeoutSeconds: 30, onEvent: () => undefined },
      () => undefined,
    );
    const started = worker.start();
    const stopped = worker.stop({ drainMs: 0 });
    await vi.advanceTimersByTimeAsync(15_000 + 1_000);
    await started;
    expect(await stopped).toEqual({ abandoned: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });
});
