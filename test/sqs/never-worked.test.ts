import type { SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import {
  createSqsWorker,
  type SqsEvent,
  type SqsMessage,
  type SqsOptions,
  onceEachConsumerBatch,
  onceEachConsumerMessage,
} from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

interface Command {
  readonly input: { readonly Entries?: readonly { readonly Id: string }[]; readonly MessageBody?: string };
}

const queueUrl = 'https://sqs.example/000000000000/orders.fifo';
const onFailed = { deadLetterQueueUrl: 'https://sqs.example/000000000000/orders-dead.fifo' };

/** A client of a queue that gives these messages once, and takes all that it is asked. */
function queueWith(messages: readonly SqsMessage[] = []) {
  const batches = [messages];
  const deadLetters: (string | undefined)[] = [];
  const send = async (command: Command): Promise<object> => {
    const { name } = command.constructor;
    if (name === 'SendMessageCommand') deadLetters.push(command.input.MessageBody);
    if (name !== 'ReceiveMessageCommand') return { Successful: command.input.Entries };
    return { Messages: batches.shift() ?? (await new Promise<never>(() => undefined)) };
  };
  return { deadLetters, client: { send: send as unknown as SQSClient['send'] } };
}

function message(Body: string, MessageGroupId = 'a'): SqsMessage {
  return { MessageId: Body, ReceiptHandle: Body, Body, Attributes: { MessageGroupId } };
}

const GOOD = message('{"id":1}');
const BAD = message('no JSON');
const allBad = Array.from({ length: 10 }, (_, n) => message(`no JSON ${n}`, `group-${n}`));

const idOf = (body = ''): string => String((JSON.parse(body) as { id: number }).id);

type Functions = Pick<SqsOptions<undefined, unknown>, 'key' | 'fingerprint'>;
const rows: [name: string, functions: Functions][] = [
  ['key', { key: ({ Body }) => idOf(Body) }],
  ['fingerprint', { fingerprint: idOf }],
];

describe.each(rows)('A %s function that throws', (name, functions) => {
  const options = () => ({
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 's' }),
    onFailed,
    parse: (body: string) => body,
    ...functions,
  });

  describe('in a worker', () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });

    afterEach(() => {
      vi.useRealTimers();
    });

    async function work(messages: readonly SqsMessage[]) {
      const { deadLetters, client } = queueWith(messages);
      const events: SqsEvent[] = [];
      const handled: string[] = [];
      const given = { client, queueUrl, visibilityTimeoutSeconds: 60, ...options() };
      const worker = createSqsWorker({ ...given, onEvent: (event) => events.push(event) }, (body) =>
        handled.push(body),
      );
      await worker.start();
      await vi.advanceTimersByTimeAsync(1_000);
      return { deadLetters, handled, kept: events.filter(({ type }) => type === 'kept') };
    }

    test('for every message dead-letters none, and is named as what is at fault', async () => {
      const { deadLetters, handled, kept } = await work(allBad);
      expect([deadLetters, handled]).toEqual([[], []]);
      const text = `createSqsWorker: ${name}: threw (SyntaxError), and has not worked yet`;
      const error = { code: 'INVALID_OPTIONS', message: expect.stringContaining(text) as string };
      expect(kept).toMatchObject(Array(10).fill({ reason: 'error', error }));
    });

    test('for the first message of a FIFO group holds up no other', async () => {
      const { deadLetters, handled, kept } = await work([BAD, GOOD]);
      expect([deadLetters, handled, kept]).toEqual([['no JSON'], ['{"id":1}'], []]);
    });
  });

  describe('in an sqs-consumer', () => {
    test('for every message dead-letters none', async () => {
      const { deadLetters, client } = queueWith();
      const { handleMessage, counts } = onceEachConsumerMessage(
        { consumerOptions: { queueUrl, sqs: client }, ...options() },
        () => undefined,
      );
      for (const one of allBad) expect(await handleMessage(one)).toEqual({});
      expect([deadLetters, counts()]).toEqual([[], { kept: 10 }]);
    });

    test('for the first message of a FIFO group holds up no other of its batch', async () => {
      const { deadLetters, client } = queueWith();
      const { handleMessageBatch } = onceEachConsumerBatch(
        { consumerOptions: { queueUrl, sqs: client }, ...options() },
        () => undefined,
      );
      expect(await handleMessageBatch([BAD, GOOD])).toEqual([BAD, GOOD]);
      expect(deadLetters).toEqual(['no JSON']);
    });
  });
});
