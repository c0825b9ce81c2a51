import { expectTypeOf, test } from 'vitest';
import type { SQSClient } from '@aws-sdk/client-sqs';
import {
  type StepAttempt,
  type AnyHandleOnce,
  type BatchAttempt,
  type BatchHandler,
  createHandleOnce,
  type HandleOnce,
  type Handler,
  type MissingOption,
} from 'handle-once';
import { onceEach, type OnceEach, type OnceEachAttempt, type OnceEachHandler } from 'handle-once/adapter';
import { onceEachRequest, type RequestHandler } from 'handle-once/http';
import { type KafkaHandler, onceEachKafkaMessage } from 'handle-once/kafka';
import {
  type KafkaRecordHandler,
  onceEachKafkaRecord,
  onceEachSqsRecord,
  type SqsRecordHandler,
} from 'handle-once/lambda';
import {
  createSqsWorker,
  onceEachSqsMessage,
  type SqsHandler,
  onceEachConsumerBatch,
  onceEachConsumerMessage,
  type SqsConsumerHandler,
} from 'handle-once/sqs';
import { onceEachWebhook, type WebhookHandler } from 'handle-once/webhook';
import {
  createKafkaWorker as createConfluentWorker,
  type KafkaWorkerOptions as ConfluentOptions,
} from 'handle-once/kafka-confluent';
import {
  createKafkaWorker as createPlatformaticWorker,
  type KafkaWorkerOptions as PlatformaticOptions,
} from 'handle-once/kafka-platformatic';
import { fromPg } from 'handle-once/clients';
import type { Consumer } from 'kafkajs';
import pg from 'pg';
import postgres, { type TransactionSql } from 'postgres';
import * as z from 'zod';

interface Order {
  readonly id: string;
}

interface QueueMessage {
  readonly id: string;
  readonly body: string;
}

type NoTransaction = MissingOption<'inTransaction: true'>;

declare const handleOnce: HandleOnce;
declare const client: SQSClient;
declare const consumer: Consumer;
declare const ofConfluent: Omit<ConfluentOptions<undefined, unknown>, 'schema' | 'parse'>;
declare const ofPlatformatic: Omit<PlatformaticOptions<undefined, unknown>, 'schema' | 'parse'>;
const schema = z.object({ id: z.string() });
const parse = (body: Buffer | string | null): Order => ({ id: String(body) });
const transactional = {
  handleOnce: createHandleOnce({ sql: postgres(''), scope: 'a' }),
  inTransaction: true,
} as const;

const ofQueue = { client, queueUrl: 'https://sqs.example/queue', handleOnce };
const ofConsumer = { consumerOptions: { queueUrl: 'https://sqs.example/queue', sqs: client }, handleOnce };
const ofTopic = { consumer, groupId: 'billing', handleOnce, onFailed: 'acknowledge' } as const;
const ofRecords = { groupId: 'billing', handleOnce, onFailed: 'keep' } as const;
const ofSender = { handleOnce, source: 'github', verify: 'already-verified' } as const;
const ofBroker = {
  handleOnce,
  key: ({ id }: QueueMessage) => id,
  body: ({ body }: QueueMessage) => body,
  acknowledge: () => undefined,
  onFailed: 'keep',
} as const;
const ofRoute = { handleOnce, route: '/orders', principal: null } as const;

/** Handlers that ask for a checked payload. */
const onPayload = ({ id }: Order): string => id;
const onDelivery = ({ payload }: { readonly payload: Order }): string => payload.id;

test('a handler that asks for a checked payload needs a schema or parse', () => {
  // @ts-expect-error -- nothing was checked
  createSqsWorker(ofQueue, onPayload);
  // @ts-expect-error -- nothing was checked
  createSqsWorker(ofQueue, (order: Order) => order.id);
  // @ts-expect-error -- nothing was checked
  onceEachSqsMessage(ofQueue, onPayload);
  // @ts-expect-error -- nothing was checked
  onceEachConsumerMessage(ofConsumer, onPayload);
  // @ts-expect-error -- nothing was checked
  onceEachConsumerBatch(ofConsumer, onPayload);
  // @ts-expect-error -- nothing was checked
  onceEachKafkaMessage(ofTopic, onDelivery);
  // @ts-expect-error -- nothing was checked
  onceEachSqsRecord({ handleOnce }, onPayload);
  // @ts-expect-error -- nothing was checked
  onceEachKafkaRecord(ofRecords, onDelivery);
  // @ts-expect-error -- nothing was checked
  onceEachWebhook(ofSender, onPayload);
  // @ts-expect-error -- nothing was checked
  onceEach(ofBroker, onPayload);
});

test('with a schema it compiles', () => {
  createSqsWorker({ ...ofQueue, schema }, onPayload);
  onceEachSqsMessage({ ...ofQueue, schema }, onPayload);
  onceEachConsumerMessage({ ...ofConsumer, schema }, onPayload);
  onceEachConsumerBatch({ ...ofConsumer, schema }, onPayload);
  onceEachKafkaMessage({ ...ofTopic, schema }, onDelivery);
  onceEachSqsRecord({ handleOnce, schema }, onPayload);
  onceEachKafkaRecord({ ...ofRecords, schema }, onDelivery);
  onceEachWebhook({ ...ofSender, schema }, onPayload);
  onceEach({ ...ofBroker, schema }, onPayload);
});

test('with parse it compiles', () => {
  createSqsWorker({ ...ofQueue, parse }, onPayload);
  onceEachSqsMessage({ ...ofQueue, parse }, onPayload);
  onceEachConsumerMessage({ ...ofConsumer, parse }, onPayload);
  onceEachConsumerBatch({ ...ofConsumer, parse }, onPayload);
  onceEachKafkaMessage({ ...ofTopic, parse }, onDelivery);
  onceEachSqsRecord({ handleOnce, parse }, onPayload);
  onceEachKafkaRecord({ ...ofRecords, parse }, onDelivery);
  onceEachWebhook({ ...ofSender, parse }, onPayload);
  onceEach({ ...ofBroker, parse }, onPayload);
});

test('parse may be written in place, and may be asynchronous', () => {
  createSqsWorker({ ...ofQueue, parse: (body) => ({ id: body }) }, onPayload);
  createSqsWorker({ ...ofQueue, parse: (body) => Promise.resolve({ id: body }) }, onPayload);
  onceEachKafkaMessage({ ...ofTopic, parse: (value) => ({ id: String(value) }) }, onDelivery);
  onceEach({ ...ofBroker, parse: (body) => ({ id: body }) }, (order: Order) => order.id);
  // @ts-expect-error -- parse does not say what it returns
  createSqsWorker({ ...ofQueue, parse: (body): unknown => JSON.parse(body) }, onPayload);
  // @ts-expect-error -- it is not there
  createSqsWorker({ ...ofQueue, parse: undefined }, onPayload);
});

test('a schema of handleOnce is a check, and says what the handler gets', () => {
  const checked = { handleOnce: createHandleOnce({ sql: postgres(''), scope: 'a', schema }) };
  const inScope = { handleOnce: checked.handleOnce.inScope('b').withRetries({ maxAttempts: 3 }) };
  createSqsWorker({ ...ofQueue, ...checked }, (order) => {
    expectTypeOf(order).toEqualTypeOf<{ id: string }>();
  });
  createSqsWorker({ ...ofQueue, ...inScope }, onPayload);
  onceEachSqsMessage({ ...ofQueue, ...checked }, onPayload);
  onceEachConsumerMessage({ ...ofConsumer, ...checked }, onPayload);
  onceEachConsumerBatch({ ...ofConsumer, ...checked }, onPayload);
  onceEachSqsRecord(checked, onPayload);
  onceEachWebhook({ ...ofSender, ...checked }, onPayload);
  onceEach({ ...ofBroker, ...checked }, onPayload);
  // parse comes first, and the schema has the last word.
  onceEachKafkaMessage({ ...ofTopic, ...checked, parse: String }, onDelivery);
  onceEachKafkaRecord({ ...ofRecords, ...checked, parse: String }, onDelivery);
  createSqsWorker({ ...ofQueue, ...checked, inTransaction: true }, (order, _attempt, tx) => {
    expectTypeOf(order).toEqualTypeOf<{ id: string }>();
    expectTypeOf(tx).toExtend<TransactionSql>();
  });
});

test('a schema of the adapter counts in place of that of handleOnce', () => {
  const checked = createHandleOnce({ sql: postgres(''), scope: 'a', schema: z.object({ cents: z.int() }) });
  createSqsWorker({ ...ofQueue, handleOnce: checked, schema }, (order) => {
    expectTypeOf(order).toEqualTypeOf<{ id: string }>();
  });
  // @ts-expect-error -- the schema of handleOnce has no such member
  createSqsWorker({ ...ofQueue, handleOnce: checked }, onPayload);
});

test('bytes of a log need no check', () => {
  onceEachKafkaMessage(ofTopic, ({ payload }: { readonly payload: Buffer | null }) => payload?.length);
  onceEachKafkaRecord(ofRecords, ({ payload }: { readonly payload: Buffer | null }) => payload?.length);
  // @ts-expect-error -- a tombstone has none
  onceEachKafkaMessage(ofTopic, ({ payload }: { readonly payload: Buffer }) => payload.length);
});

test('a handler that asks for another payload than the checked one does not compile', () => {
  const onCents = ({ cents }: { readonly cents: number }): number => cents;
  // @ts-expect-error -- the schema has no such member
  createSqsWorker({ ...ofQueue, schema }, onCents);
  // @ts-expect-error -- parse returns no such member
  onceEachWebhook({ ...ofSender, parse }, onCents);
});

test('the payload of a call is that of the caller', () => {
  void handleOnce('key', { id: 'a', sentAt: 5 }, onPayload);
  // @ts-expect-error -- the caller passes a text
  void handleOnce('key', 'body', onPayload);
  // @ts-expect-error -- what the caller passes is not known
  void handleOnce('key', {} as unknown, onPayload);
  void handleOnce('key', 'body', onPayload, { schema });
  void handleOnce('key', 'body', onPayload, { parse });
});

test('a forgotten inTransaction names itself', () => {
  createSqsWorker(ofQueue, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
    // @ts-expect-error -- "Type 'MissingOption<"inTransaction: true">' is not assignable to type 'TransactionSql'"
    const transaction: TransactionSql = tx;
    return transaction;
  });
  onceEachSqsMessage(ofQueue, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
  onceEachConsumerMessage(ofConsumer, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
  onceEachConsumerBatch(ofConsumer, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
  onceEachKafkaMessage(ofTopic, (_delivery, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
  onceEachSqsRecord({ handleOnce }, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
  onceEachKafkaRecord(ofRecords, (_delivery, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
  onceEachWebhook(ofSender, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
  onceEach(ofBroker, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
  onceEachRequest(ofRoute, (_request, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<MissingOption<'inTransaction: true, or a type for the context'>>();
    return new Response();
  });
});

test('a wrong option is reported where it is, with a transaction and without', () => {
  createSqsWorker(
    {
      ...ofQueue,
      // @ts-expect-error -- "'concurency' does not exist in type … Did you mean to write 'concurrency'?"
      concurency: 5,
    },
    (payload) => {
      expectTypeOf(payload).toBeUnknown();
    },
  );
  createSqsWorker(
    {
      ...ofQueue,
      ...transactional,
      schema,
      // @ts-expect-error -- "'concurency' does not exist in type … Did you mean to write 'concurrency'?"
      concurency: 5,
    },
    ({ id }, _attempt, tx) => tx`select ${id}`,
  );
  createSqsWorker(
    {
      ...ofQueue,
      ...transactional,
      // @ts-expect-error -- "Type 'string' is not assignable to type 'number'"
      concurrency: '5',
    },
    (_payload, _attempt, tx) => tx`select`,
  );
  createSqsWorker(
    {
      ...ofQueue,
      // @ts-expect-error -- "'inTransactoin' does not exist in type … Did you mean to write 'inTransaction'?"
      inTransactoin: true,
    },
    (_payload, _attempt, tx) => tx,
  );
});

test('so it is where options are a union, or say more than the payload', () => {
  onceEachWebhook(
    {
      ...ofSender,
      ...transactional,
      // @ts-expect-error -- "'shema' does not exist in type … Did you mean to write 'schema'?"
      shema: schema,
    },
    (_payload, _attempt, tx) => tx`select`,
  );
  onceEach(
    {
      ...ofBroker,
      ...transactional,
      // @ts-expect-error -- "'patienceMS' does not exist in type … Did you mean to write 'patienceMs'?"
      patienceMS: 5,
    },
    (_payload, { message }, tx) => tx`select ${message.id}`,
  );
  onceEachConsumerBatch(
    {
      ...ofConsumer,
      ...transactional,
      // @ts-expect-error -- "Type 'null' is not assignable to type '(() => AbortSignal) | undefined'"
      signal: null,
    },
    (_payload, _attempt, tx) => tx`select`,
  );
});

test('with inTransaction a handler gets the transaction of the client, whatever the adapter', () => {
  onceEachKafkaMessage({ ...ofTopic, ...transactional }, ({ payload }, _attempt, tx) => {
    expectTypeOf(payload).toEqualTypeOf<Buffer | null>();
    expectTypeOf(tx).toExtend<TransactionSql>();
  });
  createConfluentWorker({ ...ofConfluent, ...transactional, schema }, ({ payload }, _attempt, tx) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string }>();
    expectTypeOf(tx).toExtend<TransactionSql>();
  });
  createPlatformaticWorker({ ...ofPlatformatic, ...transactional, parse }, ({ payload }, _attempt, tx) => {
    expectTypeOf(payload).toEqualTypeOf<Order>();
    expectTypeOf(tx).toExtend<TransactionSql>();
  });
  onceEach({ ...ofBroker, ...transactional, parse: (body) => body.length }, (payload, { message }, tx) => {
    expectTypeOf(payload).toBeNumber();
    expectTypeOf(message).toEqualTypeOf<QueueMessage>();
    expectTypeOf(tx).toExtend<TransactionSql>();
  });
  const sql = fromPg(new pg.Pool());
  createSqsWorker(
    { ...ofQueue, handleOnce: createHandleOnce({ sql, scope: 'a', schema }), inTransaction: true },
    ({ id }, _attempt, tx) => {
      expectTypeOf(tx).toEqualTypeOf<pg.PoolClient>();
      return tx.query('select $1', [id]);
    },
  );
});

test('inTransaction is known to the compiler, and needs what makes transactions', () => {
  const isOn: boolean = Math.random() < 0.5;
  const mayBeOn: { readonly inTransaction?: true } = {};
  const anyHandleOnce: AnyHandleOnce = handleOnce;
  createSqsWorker(
    {
      ...ofQueue,
      // @ts-expect-error -- "Type 'boolean' is not assignable to type 'false'"
      inTransaction: isOn,
    },
    () => undefined,
  );
  // @ts-expect-error -- "Property 'inTransaction' is optional … but required"
  createSqsWorker({ ...ofQueue, ...mayBeOn }, () => undefined);
  createSqsWorker(
    {
      ...ofQueue,
      // @ts-expect-error -- "Property 'inTransaction' is missing in type 'AnyHandleOnce' but required"
      handleOnce: anyHandleOnce,
      inTransaction: true,
    },
    () => undefined,
  );
  createSqsWorker({ ...ofQueue, inTransaction: false }, (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<NoTransaction>();
  });
});

test('a handler in a file of its own has one type argument', () => {
  const call: Handler<Order> = ({ id }, attempt) => {
    expectTypeOf(attempt).toEqualTypeOf<StepAttempt>();
    return id;
  };
  void handleOnce('key', { id: 'a' }, call);
  const queue: SqsHandler<Order> = ({ id }, { message }) => [id, message.Body];
  createSqsWorker({ ...ofQueue, schema }, queue);
  onceEachSqsMessage({ ...ofQueue, parse }, queue);
  const ofSqsConsumer: SqsConsumerHandler<Order> = ({ id }, { message }) => [id, message.Body];
  onceEachConsumerMessage({ ...ofConsumer, schema }, ofSqsConsumer);
  onceEachConsumerBatch({ ...ofConsumer, schema }, ofSqsConsumer);
  const topic: KafkaHandler<Order> = ({ payload, message }) => [payload.id, message.offset];
  onceEachKafkaMessage({ ...ofTopic, schema }, topic);
  const record: SqsRecordHandler<Order> = ({ id }, attempt) => [id, attempt.record.messageId];
  onceEachSqsRecord({ handleOnce, schema }, record);
  const kafkaRecord: KafkaRecordHandler<Order> = ({ payload, partition }) => [payload.id, partition];
  onceEachKafkaRecord({ ...ofRecords, schema }, kafkaRecord);
  const webhook: WebhookHandler<Order> = ({ id }, { headers }) => [id, headers['x-id']];
  onceEachWebhook({ ...ofSender, schema }, webhook);
  const ofAnyBroker: OnceEachHandler<Order> = ({ id }) => id;
  onceEach({ ...ofBroker, schema }, ofAnyBroker);
  const request: RequestHandler = () => new Response();
  onceEachRequest(ofRoute, request);
  // @ts-expect-error -- nothing was checked
  createSqsWorker(ofQueue, queue);
});

test('a handler in a file of its own names its transaction', () => {
  const queue: SqsHandler<Order, [tx: TransactionSql]> = async ({ id }, _attempt, tx) => tx`select ${id}`;
  createSqsWorker({ ...ofQueue, ...transactional, schema }, queue);
  // @ts-expect-error -- inTransaction: true is missing
  createSqsWorker({ ...ofQueue, schema }, queue);
  const call: Handler<Order, [tx: TransactionSql]> = async ({ id }, _attempt, tx) => tx`select ${id}`;
  void transactional.handleOnce.inTransaction('key', { id: 'a' }, call);
});

test('onceEach with batch gives a handler many messages, and each caller its own result', () => {
  const batch = { size: 10, waitMs: 5 };
  const handle = onceEach({ ...ofBroker, batch, schema }, (orders, attempts) => {
    expectTypeOf(orders).toEqualTypeOf<readonly { id: string }[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt<OnceEachAttempt<QueueMessage>>[]>();
    return orders.map(({ id }) => id.length);
  });
  expectTypeOf(handle).toEqualTypeOf<OnceEach<QueueMessage, number>>();
  const single = onceEach({ ...ofBroker, schema }, ({ id }) => Promise.resolve(id));
  expectTypeOf(single).toEqualTypeOf<OnceEach<QueueMessage, string>>();
  const ofNothing = onceEach({ ...ofBroker, batch, schema }, () => Promise.resolve());
  expectTypeOf(ofNothing).toEqualTypeOf<OnceEach<QueueMessage, undefined>>();
  onceEach({ ...ofBroker, ...transactional, batch, schema }, async (orders, attempts, tx) => {
    expectTypeOf(attempts).toEqualTypeOf<readonly OnceEachAttempt<QueueMessage>[]>();
    expectTypeOf(tx).toExtend<TransactionSql>();
    await tx`select ${orders.length}`;
  });
  const list: BatchHandler<Order> = (orders) => orders.map(({ id }) => id);
  onceEach({ ...ofBroker, batch, schema }, list);
  // @ts-expect-error -- nothing was checked
  onceEach({ ...ofBroker, batch }, list);
});
