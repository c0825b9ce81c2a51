import { SQS } from '@aws-sdk/client-sqs';
import type {
  Context,
  Handler,
  MSKEvent,
  SelfManagedKafkaEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSHandler,
  SQSRecord,
} from 'aws-lambda';
import {
  type Attempt,
  type BatchAttempt,
  type BatchHandler,
  createHandleOnce,
  type HandleOnce,
  type HandleOnceWithSchema,
  type MissingOption,
} from 'handle-once';
import {
  type KafkaRecordDelivery,
  type KafkaResponse,
  type LambdaKafkaMessage,
  type KafkaRecordEvent,
  onceEachKafkaRecord,
  onceEachSqsRecord,
  type SqsRecord,
  type SqsRecordAttempt,
  type SqsRecordEvent,
  type SqsResponse,
} from 'handle-once/lambda';
import type { DeadLetterClient } from '../../adapters/lambda/dead-letter.ts';
import type { LambdaKafkaEvent } from '../../adapters/lambda/kafka-event.ts';
import type { LambdaContext } from '../../adapters/lambda/deadline.ts';
import type { LambdaSqsEvent } from '../../adapters/lambda/sqs-event.ts';
import postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

declare const handleOnce: HandleOnce;
const ofKafkaSource = { groupId: 'billing', onFailed: 'acknowledge' } as const;
const order = z.object({ id: z.string(), amount: z.coerce.number() });
const nothing = () => undefined;

test('the events and the context of AWS fit', () => {
  expectTypeOf<SQSEvent>().toExtend<LambdaSqsEvent>();
  expectTypeOf<SQSRecord>().toExtend<SqsRecord>();
  expectTypeOf<MSKEvent>().toExtend<LambdaKafkaEvent>();
  expectTypeOf<SelfManagedKafkaEvent>().toExtend<LambdaKafkaEvent>();
  expectTypeOf<Context>().toExtend<LambdaContext>();
  expectTypeOf<SqsResponse>().toEqualTypeOf<SQSBatchResponse>();
});

test('what they return are handlers of AWS', () => {
  const ofSqs: SQSHandler = onceEachSqsRecord({ handleOnce }, nothing);
  const ofMsk: Handler<MSKEvent, KafkaResponse> = onceEachKafkaRecord(
    { handleOnce, ...ofKafkaSource },
    nothing,
  );
  const ofKafka: Handler<SelfManagedKafkaEvent, KafkaResponse> = onceEachKafkaRecord(
    { handleOnce, ...ofKafkaSource },
    nothing,
  );
  expectTypeOf(ofSqs).toBeFunction();
  expectTypeOf(ofMsk).toBeFunction();
  expectTypeOf(ofKafka).toBeFunction();
});

test('they take a handleOnce of either kind', () => {
  const withSchema = {} as HandleOnceWithSchema<typeof order>;
  onceEachSqsRecord({ handleOnce: withSchema }, nothing);
  onceEachKafkaRecord({ handleOnce: withSchema, ...ofKafkaSource }, nothing);
});

test('a handler of SQS records gets unknown, what parse returns, or the output of the schema', () => {
  onceEachSqsRecord({ handleOnce }, (payload) => {
    expectTypeOf(payload).toBeUnknown();
  });
  onceEachSqsRecord({ handleOnce, parse: (body) => Promise.resolve(new URL(body)) }, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<URL>();
  });
  onceEachSqsRecord({ handleOnce, parse: (body) => body.split(','), schema: order }, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
  });
});

test('an attempt at an SQS record has the record', () => {
  expectTypeOf<SqsRecordAttempt>().toExtend<Attempt>();
  onceEachSqsRecord({ handleOnce }, (_, attempt) => {
    expectTypeOf(attempt.record).toEqualTypeOf<SqsRecord>();
  });
});

test('a handler of Kafka records gets the value, what parse returns, or the output of the schema', () => {
  onceEachKafkaRecord({ handleOnce, ...ofKafkaSource }, ({ payload, message, topic, partition }) => {
    expectTypeOf(payload).toEqualTypeOf<Buffer | null>();
    expectTypeOf(message).toEqualTypeOf<LambdaKafkaMessage>();
    expectTypeOf(topic).toBeString();
    expectTypeOf(partition).toBeNumber();
  });
  onceEachKafkaRecord({ handleOnce, ...ofKafkaSource, parse: (value) => value?.length }, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<number | undefined>();
  });
  onceEachKafkaRecord({ handleOnce, ...ofKafkaSource, schema: order }, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
  });
});

test('a group is needed, and a key is a text', () => {
  // @ts-expect-error -- groupId is missing
  onceEachKafkaRecord({ handleOnce, onFailed: 'acknowledge' }, nothing);
  // @ts-expect-error -- an offset is no text
  onceEachKafkaRecord({ handleOnce, ...ofKafkaSource, key: (_, topic, partition) => partition }, nothing);
  onceEachSqsRecord(
    { handleOnce, key: ({ messageAttributes }) => messageAttributes['id']?.stringValue },
    nothing,
  );
});

test('what becomes of a Kafka record that failed for good is asked for', () => {
  // @ts-expect-error -- it is missing
  onceEachKafkaRecord({ handleOnce, groupId: 'billing' }, nothing);
  // @ts-expect-error -- not chosen
  onceEachKafkaRecord({ ...ofKafkaSource, handleOnce, onFailed: undefined }, nothing);
  onceEachKafkaRecord({ ...ofKafkaSource, handleOnce, onFailed: 'keep' }, nothing);
});

test('any other option can be undefined', () => {
  const shared = { schema: undefined, parse: undefined, key: undefined, onEvent: undefined } as const;
  const more = { ...shared, inTransaction: undefined, concurrency: undefined, deadlineMarginMs: undefined };
  onceEachSqsRecord({ handleOnce, ...more, onFailed: undefined }, nothing);
  onceEachKafkaRecord({ handleOnce, ...ofKafkaSource, ...more, onKept: undefined }, nothing);
});

test('dead letters go through the SDK, or whatever else sends', () => {
  expectTypeOf<SQS>().toExtend<DeadLetterClient>();
  const deadLetterQueueUrl = 'https://sqs.example/dead';
  onceEachSqsRecord({ handleOnce, onFailed: { deadLetterQueueUrl, client: new SQS() } }, nothing);
  // @ts-expect-error -- the client is missing
  onceEachSqsRecord({ handleOnce, onFailed: { deadLetterQueueUrl } }, nothing);
  // @ts-expect-error -- not one of them
  onceEachSqsRecord({ handleOnce, onFailed: 'commit' }, nothing);
});

test('with inTransaction a handler gets the client’s own transaction', () => {
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  const options = { handleOnce: transactional, inTransaction: true, schema: order } as const;
  onceEachSqsRecord(options, (payload, attempt, tx) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
    expectTypeOf(attempt).toEqualTypeOf<SqsRecordAttempt>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
  });
  onceEachKafkaRecord({ ...options, ...ofKafkaSource }, ({ payload }, attempt, tx) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
    expectTypeOf(attempt).toEqualTypeOf<Attempt>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
  });
  // @ts-expect-error -- without it there is no third argument
  onceEachSqsRecord({ handleOnce }, (...given: [unknown, SqsRecordAttempt, postgres.Sql]) => given.length);
  onceEachKafkaRecord(
    { handleOnce, ...ofKafkaSource },
    // @ts-expect-error -- without it there is no third argument
    (...given: [unknown, Attempt, postgres.Sql]) => given,
  );
});

test('events are a union on type, and name a record as the answer does', () => {
  onceEachSqsRecord(
    {
      handleOnce,
      onEvent: (event) => {
        expectTypeOf(event).toEqualTypeOf<SqsRecordEvent>();
        if (event.type === 'kept') expectTypeOf(event.itemIdentifier).toBeString();
      },
    },
    nothing,
  );
  onceEachKafkaRecord(
    {
      handleOnce,
      ...ofKafkaSource,
      onEvent: (event) => {
        expectTypeOf(event).toEqualTypeOf<KafkaRecordEvent>();
        if (event.type === 'acknowledged') {
          expectTypeOf(event.itemIdentifier).toEqualTypeOf<{ partition: string; offset: number }>();
        }
      },
    },
    nothing,
  );
});

test('a fingerprint function gets what is compared, and the record', () => {
  onceEachSqsRecord(
    {
      handleOnce,
      fingerprint: (body, record) => {
        expectTypeOf(body).toBeString();
        expectTypeOf(record).toEqualTypeOf<SqsRecord>();
      },
    },
    nothing,
  );
  onceEachKafkaRecord(
    {
      ...{ handleOnce, groupId, onFailed: 'acknowledge', key: () => 'order-1' },
      fingerprint: (value, message) => {
        expectTypeOf(value).toEqualTypeOf<Buffer | null>();
        expectTypeOf(message).toEqualTypeOf<LambdaKafkaMessage>();
      },
    },
    nothing,
  );
});

test('with batch a handler gets many records at once', () => {
  const batch = { size: 10 };
  onceEachSqsRecord({ handleOnce, batch, schema: order }, (payloads, attempts, tx) => {
    expectTypeOf(payloads).toEqualTypeOf<readonly { id: string; amount: number }[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt<SqsRecordAttempt>[]>();
    expectTypeOf(tx).toEqualTypeOf<MissingOption<'inTransaction: true'>>();
  });
  onceEachSqsRecord({ handleOnce, batch, parse: (body) => body.length }, (lengths) => lengths.map(String));
  onceEachKafkaRecord({ handleOnce, ...ofKafkaSource, batch, parse: String }, (deliveries, attempts) => {
    expectTypeOf(deliveries).toEqualTypeOf<readonly KafkaRecordDelivery<string>[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt[]>();
  });
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  onceEachSqsRecord(
    { handleOnce: transactional, inTransaction: true, batch, schema: order },
    (_, attempts, tx) => {
      expectTypeOf(attempts).toEqualTypeOf<readonly SqsRecordAttempt[]>();
      expectTypeOf(tx).toExtend<postgres.TransactionSql>();
    },
  );
});

test('a batch handler in a file of its own has the type BatchHandler', () => {
  const batch = { size: 10 };
  const handler: BatchHandler<{ id: string }> = (orders, attempts) => {
    attempts[0]?.fail(new Error('no'));
    return orders.map(({ id }) => id);
  };
  onceEachSqsRecord({ handleOnce, batch, schema: order }, handler);
  // @ts-expect-error -- nothing was checked
  onceEachSqsRecord({ handleOnce, batch }, handler);
  // @ts-expect-error -- batch is missing
  onceEachSqsRecord({ handleOnce, schema: order }, handler);
  // @ts-expect-error -- a handler of one record
  onceEachSqsRecord({ handleOnce, batch, schema: order }, ({ id }: { id: string }) => id);
  // @ts-expect-error -- one result for all
  onceEachSqsRecord({ handleOnce, batch }, () => 'done');
  const mayBe: { readonly batch?: typeof batch } = {};
  // @ts-expect-error -- not known
  onceEachSqsRecord({ handleOnce, ...mayBe }, () => undefined);
});
