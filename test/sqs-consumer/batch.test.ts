import { createHandleOnce } from 'handle-once';
import { onceEachConsumerBatch, type SqsConsumerEvent, type SqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';

const STANDARD = 'https://sqs.example/1/orders';
const FIFO = `${STANDARD}.fifo`;

interface Command {
  readonly input: { readonly Entries?: readonly { ReceiptHandle: string; VisibilityTimeout: number }[] };
}

/** A consumer at a queue that takes each call. Its handler fails what is named. */
function setup(queueUrl: string, size: number, failing: readonly string[] = []) {
  const shown: unknown[] = [];
  const runs: unknown[][] = [];
  const events: SqsConsumerEvent[] = [];
  const send = ({ input: { Entries } }: Command): Promise<object> => {
    if (Entries === undefined)
      return Promise.resolve({ Attributes: { RedrivePolicy: '{"maxReceiveCount":100}' } });
    shown.push(...Entries.map(({ ReceiptHandle, VisibilityTimeout }) => [ReceiptHandle, VisibilityTimeout]));
    return Promise.resolve({ Successful: Entries });
  };
  const { handleMessageBatch } = onceEachConsumerBatch(
    {
      consumerOptions: { queueUrl, sqs: { send }, batchSize: 10 },
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 's', backoff: () => 6_500 }),
      onEvent: (event) => events.push(event),
      batch: { size },
    },
    (ids, attempts) => {
      runs.push([...ids]);
      ids.forEach((id, index) => {
        if (failing.includes(id as string)) attempts[index]?.fail(new Error('not now'));
      });
    },
  );
  return {
    ...{ shown, runs, events },
    handle: async (messages: SqsMessage[]) =>
      (await handleMessageBatch(messages)).map(({ MessageId }) => MessageId),
  };
}

function message(id: string): SqsMessage {
  const MessageGroupId = id[0] as string;
  return { MessageId: id, ReceiptHandle: id, Body: JSON.stringify(id), Attributes: { MessageGroupId } };
}

const messages = (...ids: readonly string[]) => ids.map(message);

test('the messages of a receive are run in batches of the size', async () => {
  const { handle, runs, shown } = setup(STANDARD, 3, ['a3']);
  const ids = ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
  expect(await handle(messages(...ids))).toEqual(ids.filter((id) => id !== 'a3'));
  expect(runs.toSorted()).toEqual([['a0', 'a1', 'a2'], ['a3', 'a4', 'a5'], ['a6']]);
  expect(shown).toEqual([['a3', 7]]);
});

test('a message that comes again is answered from its record', async () => {
  const { handle, runs, events } = setup(STANDARD, 10);
  expect(await handle(messages('a'))).toEqual(['a']);
  expect(await handle(messages('b', 'a', 'c'))).toEqual(['b', 'a', 'c']);
  expect(runs).toEqual([['a'], ['b', 'c']]);
  expect(events.filter(({ type }) => type === 'replayed')).toHaveLength(1);
});

test('of a FIFO queue what is behind a kept one of its group does not run, in its batch and in the next', async () => {
  const { handle, runs, shown, events } = setup(FIFO, 3, ['a1']);
  expect(await handle(messages('b0', 'a1'))).toEqual(['b0']);
  // It comes before its backoff is over, and is kept.
  expect(await handle(messages('a1', 'a2', 'b1', 'a3', 'b2', 'b3'))).toEqual(['b1', 'b2', 'b3']);
  expect(runs).toEqual([
    ['b0', 'a1'],
    ['b1', 'b2', 'b3'],
  ]);
  expect(shown.slice(1).toSorted()).toEqual([
    ['a1', 7],
    ['a2', 0],
    ['a3', 0],
  ]);
  expect(events.filter((event) => event.type === 'kept' && event.reason === 'behind')).toHaveLength(2);
});
