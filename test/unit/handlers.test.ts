import { createHandleOnce, type InvalidOptionsError } from 'handle-once';
import { onceEachRequest } from 'handle-once/http';
import { onceEachKafkaMessage } from 'handle-once/kafka';
import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';
import {
  createSqsWorker,
  onceEachSqsMessage,
  onceEachConsumerMessage,
  onceEachConsumerBatch,
} from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { onceEachWebhook } from 'handle-once/webhook';
import { describe, expect, test } from 'vitest';
import { fakeConsumer } from '../kafka/support/fake-consumer.ts';

const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
const queueUrl = 'https://sqs.eu-central-1.amazonaws.com/000000000000/orders';
const sqs = { handleOnce, queueUrl, client: { send: () => Promise.resolve({}) } };
const consumerOptions = { queueUrl, sqs: sqs.client };
const kafka = { handleOnce, consumer: fakeConsumer(), groupId: 'workers', onFailed: 'acknowledge' };
const kafkaRecord = { handleOnce, groupId: 'workers', onFailed: 'acknowledge' };
const http = { handleOnce, route: '/orders', principal: null };
const webhook = { handleOnce, source: 'github', verify: () => true };

type Entry = readonly [
  name: string,
  enter: (handler: unknown, options?: object) => unknown,
  args: 'payload' | 'delivery' | 'request',
];

const of =
  (entry: unknown, right: object): Entry[1] =>
  (handler, options = right) =>
    (entry as (options: object, handler: unknown) => unknown)(options, handler);

const entries: readonly Entry[] = [
  ['onceEachSqsMessage', of(onceEachSqsMessage, sqs), 'payload'],
  ['createSqsWorker', of(createSqsWorker, sqs), 'payload'],
  ['onceEachConsumerMessage', of(onceEachConsumerMessage, { handleOnce, consumerOptions }), 'payload'],
  ['onceEachConsumerBatch', of(onceEachConsumerBatch, { handleOnce, consumerOptions }), 'payload'],
  ['onceEachSqsRecord', of(onceEachSqsRecord, { handleOnce }), 'payload'],
  ['onceEachKafkaRecord', of(onceEachKafkaRecord, kafkaRecord), 'delivery'],
  ['onceEachKafkaMessage', of(onceEachKafkaMessage, kafka), 'delivery'],
  ['onceEachWebhook', of(onceEachWebhook, webhook), 'payload'],
  ['onceEachRequest', of(onceEachRequest, http), 'request'],
];

class Handler {
  handle = () => 1;
}
const Anonymous = [
  class {
    handle = () => 1;
  },
][0];

const wrong = [undefined, null, 'handler', { handler: () => 1 }];

async function refusal(enter: () => unknown): Promise<unknown> {
  try {
    return await enter();
  } catch (error) {
    return error;
  }
}

describe.each(entries)('%s', (_, enter, args) => {
  test('accepts a function', () => {
    expect(() => enter(() => 1)).not.toThrow();
  });

  test.each([...wrong, Handler, Anonymous])(
    'refuses %j in place of the handler, before anything runs',
    async (handler) => {
      expect(await refusal(() => enter(handler))).toMatchObject({
        code: 'INVALID_OPTIONS',
        issues: [{ field: 'handler', message: `must be a function of (${args}, attempt)` }],
      });
    },
  );

  test.each([
    function* generator() {
      yield 1;
    },
    async function* asyncGenerator() {
      yield await Promise.resolve(1);
    },
  ])('refuses %o in place of the handler: to call it runs nothing', async (handler) => {
    const message =
      `must be a function of (${args}, attempt), but is a generator function, which runs nothing when it is ` +
      'called; use an async function';
    expect(await refusal(() => enter(handler))).toMatchObject({
      code: 'INVALID_OPTIONS',
      issues: [{ field: 'handler', message }],
    });
  });

  test.each([undefined, () => 1])(
    'says where a handler belongs that is among the options (%j)',
    async (handler) => {
      const issue = { field: 'handler', message: 'must be given as second argument, after the options' };
      expect(await refusal(() => enter(handler, { handler: () => 2 }))).toMatchObject({
        issues: expect.arrayContaining([issue]) as object,
      });
    },
  );

  test('has its handler among the options where a getter gives it, and not where it is undefined', async () => {
    const among = Object.defineProperty({}, 'handler', { get: () => () => 2, enumerable: true });
    expect(await refusal(() => enter(() => 1, among))).toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ field: 'handler' })]) as object,
    });
    const unset = (await refusal(() => enter(() => 1, { handler: undefined }))) as InvalidOptionsError;
    expect(unset.issues.map(({ field }) => field)).not.toContain('handler');
  });

  test('names a wrong handler and wrong options at once', async () => {
    const issues = [{ field: 'handler' }, { field: 'typo' }];
    const error = await refusal(() => enter('handler', { typo: 1 }));
    expect(error).toMatchObject({
      issues: expect.arrayContaining(issues.map((i) => expect.objectContaining(i) as object)) as object,
    });
  });
});

test.each(wrong)(
  'handleOnce refuses %j in place of the handler, before anything is claimed',
  async (handler) => {
    const message = 'must be a function of (payload, attempt)';
    for (const call of [handleOnce, handleOnce.inScope('b')]) {
      expect(await refusal(() => call('key', 'body', handler as never))).toMatchObject({
        code: 'INVALID_OPTIONS',
        issues: [{ field: 'handler', message }],
      });
    }
    expect(handleOnce.counts()).toEqual({});
  },
);
