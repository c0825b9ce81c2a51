import { createHandleOnce } from 'handle-once';
import { onceEachSqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test, vi } from 'vitest';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';

const MESSAGE = { MessageId: 'id', ReceiptHandle: 'handle', Body: '1' };

/** A wrapped handler, at a queue that gives its attributes, or none. */
function setup(attributes: object | undefined) {
  const queue = { attributes };
  const handler = vi.fn();
  const send = ({ input: { Entries } }: { input: { Entries?: object[] } }): Promise<object> => {
    if (Entries !== undefined) return Promise.resolve({ Successful: Entries });
    if (queue.attributes === undefined) return Promise.reject(new Error('AccessDenied'));
    return Promise.resolve({ Attributes: queue.attributes });
  };
  const options = {
    ...{ client: { send } as unknown as SqsClient, queueUrl: 'https://sqs.example/1/orders' },
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 's', leaseMs: 30_000 }),
    onEvent: () => undefined,
  };
  return { queue, handler, handle: onceEachSqsMessage(options, handler) };
}

const WELL = { VisibilityTimeout: '60' };

test.each([
  ['a while ago', () => ({ receivedAt: Date.now() - 50_000 }), { action: 'acknowledged' }],
  ['at a time to come', () => ({ receivedAt: Date.now() + 600_000 }), { action: 'acknowledged' }],
  ['too long ago', () => ({ receivedAt: Date.now() - 60_000 }), { action: 'kept', reason: 'lapsed' }],
  ['and aborted', () => ({ signal: AbortSignal.abort() }), { action: 'kept' }],
])('a message that was received %s', async (_, options, handled) => {
  const { handle, handler } = setup(WELL);
  expect(await handle(MESSAGE, options())).toMatchObject(handled);
  expect(handler).toHaveBeenCalledTimes(handled.action === 'kept' ? 0 : 1);
});

test('where it is not known how long messages are invisible, a loop has to say; the next message looks again', async () => {
  const { handle, queue } = setup(undefined);
  await expect(handle(MESSAGE)).rejects.toMatchObject({ issues: [{ field: 'visibilityTimeoutSeconds' }] });
  queue.attributes = WELL;
  expect(await handle(MESSAGE)).toMatchObject({ action: 'acknowledged' });
});
