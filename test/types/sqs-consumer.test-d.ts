import { type Message, SQSClient } from '@aws-sdk/client-sqs';
import { type StepAttempt, type BatchAttempt, createHandleOnce, type HandleOnce } from 'handle-once';
import {
  onceEachConsumerMessage,
  onceEachConsumerBatch,
  type SqsConsumerAttempt,
  type SqsConsumerEvent,
} from 'handle-once/sqs';
import { Consumer, type ConsumerOptions } from 'sqs-consumer';
import postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

declare const handleOnce: HandleOnce;
const consumerOptions = { queueUrl: 'https://sqs.example/queue', sqs: new SQSClient() };
const base = { consumerOptions, handleOnce };
const order = z.object({ id: z.string(), amount: z.coerce.number() });

test('what the wrappers give is what the real Consumer takes', () => {
  expectTypeOf(onceEachConsumerMessage(base, () => 1)).toExtend<ConsumerOptions>();
  expectTypeOf(onceEachConsumerBatch(base, () => 1)).toExtend<ConsumerOptions>();
  Consumer.create(
    onceEachConsumerMessage(
      {
        handleOnce,
        consumerOptions: {
          ...consumerOptions,
          batchSize: 10,
          messageSystemAttributeNames: ['SentTimestamp'],
          attributeNames: ['All'],
          pollingCompleteWaitTimeMs: 10_000,
          strictReturn: true,
        },
      },
      () => undefined,
    ),
  );
});

test('options of the real Consumer are kept with their types', () => {
  const given = { ...consumerOptions, pollingCompleteWaitTimeMs: 10_000 };
  const once = onceEachConsumerMessage({ ...base, consumerOptions: given }, () => 1);
  expectTypeOf(once.pollingCompleteWaitTimeMs).toBeNumber();
  expectTypeOf(once.visibilityTimeout).toBeNumber();
  expectTypeOf(once.handleMessage).toEqualTypeOf<(message: Message) => Promise<Message>>();
});

test('settings that contradict the wrappers are no options', () => {
  const wrong = (more: Partial<ConsumerOptions>): void => {
    // @ts-expect-error -- they may be there
    onceEachConsumerMessage({ ...base, consumerOptions: { ...consumerOptions, ...more } }, () => 1);
  };
  expectTypeOf(wrong).toBeFunction();
  const deletes = { ...consumerOptions, alwaysAcknowledge: true };
  // @ts-expect-error -- it deletes what is not settled
  onceEachConsumerMessage({ ...base, consumerOptions: deletes }, () => 1);
  const givesUp = { ...consumerOptions, handleMessageTimeout: 5 };
  // @ts-expect-error -- it gives up a message whose handler runs on
  onceEachConsumerMessage({ ...base, consumerOptions: givesUp }, () => 1);
  // @ts-expect-error -- the client is missing
  onceEachConsumerMessage({ ...base, consumerOptions: { queueUrl: '' } }, () => 1);
});

test('a handler gets the output of the schema, or what parse returns', () => {
  onceEachConsumerMessage({ ...base, schema: order }, (payload, attempt) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
    expectTypeOf(attempt).toEqualTypeOf<StepAttempt<SqsConsumerAttempt>>();
    expectTypeOf(attempt.message).toEqualTypeOf<Message>();
  });
  onceEachConsumerBatch({ ...base, parse: (body) => Promise.resolve(new URL(body)) }, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<URL>();
  });
  onceEachConsumerMessage(base, (payload) => {
    expectTypeOf(payload).toBeUnknown();
  });
});

test('with inTransaction a handler gets the client’s own transaction', () => {
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  const options = { consumerOptions, handleOnce: transactional, inTransaction: true, schema: order } as const;
  onceEachConsumerMessage(options, (payload, _, tx) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
  });
  onceEachConsumerBatch(options, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
  });
});

test('an option that is undefined is one that is not given', () => {
  const given = { ...consumerOptions, batchSize: undefined, visibilityTimeout: undefined };
  const absent = { schema: undefined, key: undefined, onFailed: undefined, onEvent: undefined };
  onceEachConsumerBatch({ ...base, ...absent, consumerOptions: given, signal: undefined }, () => 1);
});

test('events are a union on type', () => {
  const onEvent = (event: SqsConsumerEvent): void => {
    if (event.type === 'kept') expectTypeOf(event.visibleAfterSeconds).toEqualTypeOf<number | undefined>();
  };
  expectTypeOf(onceEachConsumerMessage({ ...base, onEvent }, () => 1).counts).returns.toEqualTypeOf<
    Readonly<Partial<Record<SqsConsumerEvent['type'], number>>>
  >();
});

test('a fingerprint function gets the body and the message', () => {
  const options = {
    ...base,
    fingerprint: (body: string, message: Message) => [body.length, message.MessageId],
  };
  onceEachConsumerMessage(options, () => undefined);
  onceEachConsumerBatch({ ...base, ignoredFields: ['/sentAt'] }, () => undefined);
});

test('with batch a handler gets many payloads and attempts', () => {
  onceEachConsumerBatch({ ...base, schema: order, batch: { size: 10 } }, (orders, attempts) => {
    expectTypeOf(orders).toEqualTypeOf<readonly { id: string; amount: number }[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt<SqsConsumerAttempt>[]>();
  });
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  const options = { consumerOptions, handleOnce: transactional, inTransaction: true, schema: order } as const;
  onceEachConsumerBatch({ ...options, batch: { size: 10 } }, (_orders, attempts, tx) => {
    expectTypeOf(attempts).toEqualTypeOf<readonly SqsConsumerAttempt[]>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
  });
  // @ts-expect-error -- a handler of one message
  onceEachConsumerBatch({ ...base, schema: order, batch: { size: 10 } }, ({ id }: { id: string }) => id);
  // @ts-expect-error -- of batches only
  onceEachConsumerMessage({ ...base, batch: { size: 10 } }, () => undefined);
});
