import { setImmediate } from 'node:timers/promises';
import { createHandleOnce, StoreError, TerminalError } from 'handle-once';
import {
  onceEachConsumerBatch,
  onceEachConsumerMessage,
  type SqsConsumerEvent,
  type SqsMessage,
} from 'handle-once/sqs';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { wrapperNames } from './support/consume.ts';

const STANDARD = 'https://sqs.example/1/orders';
const FIFO = `${STANDARD}.fifo`;
const POLICY = { RedrivePolicy: '{"maxReceiveCount":100}' };

interface Command {
  readonly input: { readonly Entries?: readonly { ReceiptHandle: string; VisibilityTimeout: number }[] };
}

/** Both wrappers, at a queue that takes each call. Handlers fail for what is named. Gives who is deleted. */
function setup(
  queueUrl: string,
  attributes: object,
  failing: readonly string[] = [],
  onFailed?: 'acknowledge' | 'keep',
  store: Partial<Store> = {},
) {
  const queue = { answer: Promise.resolve({ Attributes: attributes }) };
  const shown: unknown[] = [];
  const handled: unknown[] = [];
  const events: SqsConsumerEvent[] = [];
  const send = ({ input: { Entries } }: Command): Promise<object> => {
    if (Entries === undefined) return queue.answer;
    shown.push(...Entries.map(({ ReceiptHandle, VisibilityTimeout }) => [ReceiptHandle, VisibilityTimeout]));
    return Promise.resolve({ Successful: Entries });
  };
  const options = {
    onFailed,
    consumerOptions: { queueUrl, sqs: { send } as unknown as SqsClient },
    handleOnce: createHandleOnce({
      store: { ...createMemoryStore(), ...store },
      scope: 's',
      backoff: () => 6_500,
    }),
    onEvent: (event: SqsConsumerEvent) => events.push(event),
  };
  const handler = async (id: unknown): Promise<void> => {
    handled.push(id);
    await setImmediate();
    if (id === 'bad') throw new TerminalError('never');
    if (failing.includes(id as string)) throw new Error('not now');
  };
  const { handleMessage } = onceEachConsumerMessage(options, handler);
  const { handleMessageBatch } = onceEachConsumerBatch(options, handler);
  const idsOf = (messages: readonly SqsMessage[]) => messages.flatMap(({ MessageId }) => MessageId ?? []);
  return {
    ...{ queue, shown, handled, events },
    handleMessageBatch: async (messages: SqsMessage[]) => idsOf(await handleMessageBatch(messages)),
    handleMessage: async (messages: SqsMessage[]) => idsOf(await Promise.all(messages.map(handleMessage))),
    said: () =>
      events.map((event) =>
        'messageId' in event
          ? `${event.messageId} ${event.type === 'kept' ? event.reason : event.type}`
          : event.type,
      ),
    warnings: () => events.flatMap((event) => (event.type === 'warning' ? [event] : [])),
  };
}

function message(id: string, MessageGroupId: string): SqsMessage {
  return { MessageId: id, ReceiptHandle: id, Body: JSON.stringify(id), Attributes: { MessageGroupId } };
}

test('of a batch of a FIFO queue what is behind a kept one of its group is visible at once', async () => {
  const { handleMessageBatch, handled, shown, said } = setup(FIFO, POLICY, ['a1']);
  const batch = [message('a1', 'a'), message('a2', 'a'), message('b1', 'b'), message('b2', 'b')];
  expect(await handleMessageBatch(batch)).toEqual(['b1', 'b2']);
  expect(handled).toEqual(['a1', 'b1', 'b2']);
  expect(shown).toEqual([
    ['a1', 7],
    ['a2', 0],
  ]);
  expect(said().toSorted()).toEqual([
    ...['a1 released', 'a2 behind', 'b1 acknowledged', 'b2 acknowledged', 'warning'],
  ]);
});

test('of a batch of a FIFO queue what was claimed behind one that cannot be recorded is visible at once', async () => {
  const settle = () => Promise.reject(new StoreError('refused', { retriable: false }));
  const { handleMessageBatch, handled, shown, said } = setup(FIFO, POLICY, [], undefined, { settle });
  expect(await handleMessageBatch([message('a1', 'a'), message('a2', 'a')])).toEqual([]);
  expect([handled, shown.at(-1)]).toEqual([['a1'], ['a2', 0]]);
  expect(said()).toEqual(expect.arrayContaining(['a1 unrecorded', 'a2 behind']));
});

test('of a batch of a standard queue those of one group do not wait for one another', async () => {
  const { handleMessageBatch, shown } = setup(STANDARD, POLICY, ['a1']);
  expect(await handleMessageBatch([message('a1', 'a'), message('a2', 'a')])).toEqual(['a2']);
  expect(shown).toEqual([['a1', 7]]);
});

test.each(wrapperNames)(
  '%s handles no message of a FIFO queue that has no place for a failed message, until it has one',
  async (wrapper) => {
    const once = setup(FIFO, {});
    for (const id of ['1', '2']) expect(await once[wrapper]([message(id, 'a')])).toEqual([]);
    expect([once.handled, once.shown]).toEqual([[], []]);
    expect(once.said()).toEqual(['warning', '1 no-redrive-policy', '2 no-redrive-policy']);
    expect(once.warnings()).toMatchObject([
      {
        ...{ warning: 'NO_REDRIVE_POLICY', queue: 'orders.fifo' },
        message: expect.stringMatching(/^no message is handled: onFailed is missing/) as string,
      },
    ]);
    once.queue.answer = Promise.resolve({ Attributes: POLICY });
    expect(await once[wrapper]([message('3', 'a')])).toEqual(['3']);
  },
);

test.each([
  ['a standard queue', STANDARD, undefined],
  ['a FIFO queue that keeps what fails', FIFO, 'keep'],
] as const)('%s that does not answer holds up no message', async (_, queueUrl, onFailed) => {
  const { handleMessage, queue, shown, said } = setup(queueUrl, {}, [], onFailed);
  queue.answer = new Promise(() => undefined);
  expect(await handleMessage([message('1', 'a'), message('bad', 'b')])).toEqual(['1']);
  expect(said()).toEqual(expect.arrayContaining(['1 acknowledged', 'bad failed']));
  expect(shown).toEqual([]);
});

test('a message whose visibility timeout lapsed while the queue was asked is not started', async () => {
  const { handleMessage, handled, queue, events } = setup(FIFO, POLICY);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  queue.answer = queue.answer.finally(() => vi.advanceTimersByTime(60_000));
  expect(await handleMessage([message('1', 'a')])).toEqual([]);
  expect(handled).toEqual([]);
  expect(events).toContainEqual(expect.objectContaining({ type: 'kept', key: '', reason: 'lapsed' }));
});
