import { createHandleOnce } from 'handle-once';
import { createSqsWorker, type SqsEvent } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { useFrozenTime } from '../support/frozen-time.ts';

const freeze = useFrozenTime();

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

const VISIBILITY_SECONDS = 60;
const WAIT_SECONDS = 5;

/** A worker whose first receive gives a message, once `received` has run. */
async function work({ received, handler }: { received: () => void; handler: () => unknown }) {
  const events: SqsEvent[] = [];
  const calls: string[] = [];
  let receives = 0;
  const send = (command: object): Promise<object> => {
    const { name } = command.constructor;
    if (name !== 'ReceiveMessageCommand') {
      calls.push(name);
      return Promise.resolve({ Successful: [{ Id: '0' }] });
    }
    receives += 1;
    if (receives > 1) return new Promise(() => undefined);
    received();
    return Promise.resolve({ Messages: [{ MessageId: 'id', ReceiptHandle: 'handle', Body: '1' }] });
  };
  const client: SqsClient = { send };
  const worker = createSqsWorker(
    {
      ...{ client, queueUrl: 'https://sqs.example/queue' },
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 's', onEvent: () => undefined }),
      ...{ visibilityTimeoutSeconds: VISIBILITY_SECONDS, waitTimeSeconds: WAIT_SECONDS },
      onEvent: (event) => events.push(event),
    },
    handler,
  );
  await worker.start();
  await vi.advanceTimersByTimeAsync(10);
  const stopped = worker.stop({ drainMs: 0 });
  await vi.advanceTimersByTimeAsync(10_000);
  await stopped;
  return {
    touches: calls.filter((name) => name !== 'GetQueueAttributesCommand'),
    told: events.flatMap((event) => (event.type === 'kept' ? [event.reason] : [])),
  };
}

test('a message whose reply was read late is not started: its visibility timeout may have lapsed', async () => {
  const handler = vi.fn();
  const received = (): void => {
    freeze((WAIT_SECONDS + VISIBILITY_SECONDS) * 1_000);
  };
  expect(await work({ received, handler })).toEqual({ touches: [], told: ['lapsed'] });
  expect(handler).not.toHaveBeenCalled();
});

test('a message that came at the end of its long poll is handled', async () => {
  const handler = vi.fn();
  const received = (): void => {
    freeze(WAIT_SECONDS * 1_000);
  };
  expect(await work({ received, handler })).toEqual({ touches: ['DeleteMessageBatchCommand'], told: [] });
  expect(handler).toHaveBeenCalledOnce();
});

test('a message whose visibility timeout may have lapsed while the machine was suspended is not touched', async () => {
  const handler = (): void => {
    vi.setSystemTime(Date.now() + VISIBILITY_SECONDS * 1_000);
  };
  expect(await work({ received: () => undefined, handler })).toEqual({ touches: [], told: ['lapsed'] });
});
