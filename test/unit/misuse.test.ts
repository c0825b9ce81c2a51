import { createHandleOnce, InvalidKeyError, InvalidOptionsError } from 'handle-once';
import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';
import type { LambdaContext } from '../../adapters/lambda/deadline.ts';
import { timeOrderedKey, onceEachSqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it, test } from 'vitest';
import { revokedProxy } from '../support/hostile.ts';

const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
const handler = () => expect.unreachable();
const context: LambdaContext = { getRemainingTimeInMillis: () => 60_000 };

async function refusalOf(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return error;
  }
}

const fieldsOf = (error: unknown) => {
  expect(error).toBeInstanceOf(InvalidOptionsError);
  return (error as InvalidOptionsError).issues.map(({ field }) => field);
};

const hostile = (): object =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Error('secret');
      },
    },
  );

describe.each([undefined, null, 1, 'text', []])('in place of what is expected', (wrong) => {
  const given = wrong as never;

  it.each([
    ['event', () => onceEachSqsRecord({ handleOnce }, handler)(given, context)],
    ['event.Records', () => onceEachSqsRecord({ handleOnce }, handler)({ Records: [given] }, context)],
    ['context', () => onceEachSqsRecord({ handleOnce }, handler)({ Records: [] }, given)],
    [
      'event',
      () => onceEachKafkaRecord({ handleOnce, groupId: 'g', onFailed: 'keep' }, handler)(given, context),
    ],
  ])('the error names %s', async (field, call) => {
    const [named = ''] = fieldsOf(await refusalOf(call));
    expect(named.startsWith(field)).toBe(true);
  });
});

test.each([undefined, {}, 'text', { p: 1 }, { p: [null] }, { p: [{ topic: 'orders' }] }])(
  'records of a Kafka event that are %j are refused',
  async (records) => {
    const each = onceEachKafkaRecord({ handleOnce, groupId: 'g', onFailed: 'keep' }, handler);
    const refused = await refusalOf(() => each({ records } as never, context));
    if (JSON.stringify(records) === '{}') expect(refused).toEqual({ batchItemFailures: [] });
    else expect(fieldsOf(refused)).toEqual(['event.records']);
  },
);

test.each([
  ...[undefined, null, 1, 'text', {}, { MessageId: 'id' }, { MessageId: 'id', Attributes: {} }],
  { Attributes: { SentTimestamp: '1700000000000' } },
  { MessageId: 'id', Attributes: { SentTimestamp: '1700000000' } },
])('timeOrderedKey of %j is an InvalidKeyError', (message) => {
  expect(() => timeOrderedKey(message as never)).toThrow(InvalidKeyError);
});

test('timeOrderedKey of a message begins with when it was sent', () => {
  const message = { MessageId: 'id', Attributes: { SentTimestamp: '1700000000000' } };
  expect(timeOrderedKey(message)).toBe('1700000000000-id');
});

test.each([undefined, null, 1, {}, { MessageId: 'id' }])(
  'a message that is %j is refused',
  async (message) => {
    const client = { send: () => Promise.reject(new Error('not called')) };
    const handleMessage = onceEachSqsMessage(
      { client, queueUrl: 'http://127.0.0.1/queue', handleOnce },
      handler,
    );
    expect(fieldsOf(await refusalOf(() => handleMessage(message as never)))).toEqual(['message']);
  },
);

describe('options that cannot be read', () => {
  const throwing = (field: string) =>
    Object.defineProperty({ scope: 'billing' }, field, {
      enumerable: true,
      get: () => {
        throw new TypeError('secret');
      },
    });

  test.each([
    ['createHandleOnce', 'store', () => createHandleOnce(throwing('store'))],
    ['onceEachSqsMessage', 'client', () => onceEachSqsMessage(throwing('client') as never, handler)],
    ['createHandleOnce', 'the options', () => createHandleOnce(revokedProxy() as never)],
    ['onceEachSqsRecord', 'the options', () => onceEachSqsRecord(revokedProxy() as never, handler)],
  ])('%s names %s, and not what was thrown', async (subject, field, call) => {
    const error = await refusalOf(call);
    expect(fieldsOf(error)).toEqual([field]);
    expect((error as Error).message).toBe(
      `${subject}: ${field}: cannot be read (TypeError was thrown); pass a plain object`,
    );
  });

  test('a client that throws when it is looked at is refused by its field', async () => {
    const refused = await refusalOf(() => createHandleOnce({ sql: hostile() as never, scope: 'billing' }));
    expect(fieldsOf(refused)).toEqual(['sql']);
  });
});
