import { expect, test, vi } from 'vitest';
import { after, slowQueue, useFakeTime } from './support/slow-queue.ts';

useFakeTime();

interface Entries {
  readonly Entries?: readonly { readonly ReceiptHandle: string }[];
}

/** A queue whose heartbeats fail until its message has come a second time, while its handler runs. */
function redelivered(changed: object = {}) {
  let receives = 0;
  const deleted: string[] = [];
  const touched: string[] = [];
  const slow = slowQueue(
    {
      ...{ callMs: 10, concurrency: 10, visibilityTimeoutSeconds: 12 },
      handler: () => after(30_000),
      hangs(verb, { Entries = [] }: Entries) {
        const handles = Entries.map(({ ReceiptHandle }) => ReceiptHandle);
        if (verb === 'DeleteMessageBatch') deleted.push(...handles);
        if (verb !== 'ChangeMessageVisibilityBatch') return false;
        if (receives < 2) throw new Error('no heartbeat');
        touched.push(...handles);
        return false;
      },
      received(reply: { Messages?: readonly object[] }) {
        const { Messages = [] } = reply;
        receives += Messages.length;
        return receives < 2 ? reply : { Messages: Messages.map((message) => ({ ...message, ...changed })) };
      },
    },
    3,
  );
  return { ...slow, deleted, touched };
}

test('a redelivery of a message that is still handled runs nothing, and its handle keeps and deletes the message', async () => {
  const { queue, worker, handleOnce, events, deleted, touched } = redelivered();
  const id = queue.send('{}');
  await worker.start();
  await vi.advanceTimersByTimeAsync(40_000);

  expect(queue.messages()).toEqual([]);
  expect(queue.deadLetters()).toEqual([]);
  expect(handleOnce.counts()).toMatchObject({ claimed: 1, succeeded: 1 });
  expect(handleOnce.counts()).not.toHaveProperty('replayed');
  expect(deleted).toEqual([`${id}#2`]);
  expect(new Set(touched)).toEqual(new Set([`${id}#2`]));
  expect(worker.counts()).toMatchObject({ received: 2, kept: 1, acknowledged: 1 });
  expect(events.filter(({ type }) => type === 'kept')).toEqual([
    { type: 'kept', messageId: id, key: '', reason: 'in-flight', visibleAfterSeconds: undefined },
  ]);
});

test('a redelivery with another body is compared with the record, as any', async () => {
  const { queue, worker, handleOnce, events, deleted, touched } = redelivered({ Body: '{"other":1}' });
  const id = queue.send('{}');
  await worker.start();
  await vi.advanceTimersByTimeAsync(20_000);

  expect(events.filter(({ type }) => type === 'kept')).toMatchObject([{ messageId: id, reason: 'mismatch' }]);
  expect(handleOnce.counts()).toMatchObject({ claimed: 1, mismatch: 1 });
  expect({ deleted, touched }).toEqual({ deleted: [], touched: [] });
});
