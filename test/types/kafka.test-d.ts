import {
  type StepAttempt,
  type Attempt,
  type BatchAttempt,
  createHandleOnce,
  type EventError,
  type HandleOnce,
} from 'handle-once';
import {
  type KafkaBatchHandler,
  type KafkaDelivery,
  type KafkaEvent,
  type KafkaHandler,
  type KafkaMessage,
  onceEachKafkaMessage,
  type OnceEachKafkaMessage,
} from 'handle-once/kafka';
import type { KafkaAdmin, KafkaConsumer, KafkaProducer } from '../../adapters/kafka/log/kafkajs-types.ts';
import type {
  Admin,
  Consumer,
  ConsumerConfig,
  ConsumerRunConfig,
  EachBatchPayload,
  EachMessageHandler,
  EachMessagePayload,
  Producer,
} from 'kafkajs';
import type {
  createKafkaWorker as createConfluentWorker,
  KafkaWorkerOptions as ConfluentOptions,
} from 'handle-once/kafka-confluent';
import type {
  createKafkaWorker as createPlatformaticWorker,
  KafkaWorkerOptions as PlatformaticOptions,
} from 'handle-once/kafka-platformatic';
import postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

declare const consumer: Consumer;
declare const producer: Producer;
declare const admin: Admin;
declare const createConfluent: typeof createConfluentWorker;
declare const createPlatformatic: typeof createPlatformaticWorker;
declare const confluent: Pick<ConfluentOptions<undefined, unknown>, 'client' | 'config'>;
declare const platformatic: Pick<PlatformaticOptions<undefined, unknown>, 'client' | 'config'>;
declare const consumerConfig: ConsumerConfig;
declare const handleOnce: HandleOnce;
const base = { consumer, groupId: 'billing', handleOnce, onFailed: 'acknowledge' } as const;
const order = z.object({ id: z.string(), amount: z.coerce.number() });

test('the clients of kafkajs fit, and nothing that lacks their methods', () => {
  expectTypeOf<Consumer>().toExtend<KafkaConsumer>();
  expectTypeOf<Producer>().toExtend<KafkaProducer>();
  expectTypeOf<Admin>().toExtend<KafkaAdmin>();
  const onFailed = { deadLetterTopic: 'dead', producer };
  onceEachKafkaMessage({ ...base, onFailed, admin, consumerConfig }, () => undefined);
  // @ts-expect-error -- a producer is no consumer
  onceEachKafkaMessage({ ...base, consumer: producer }, () => undefined);
  // @ts-expect-error -- an admin client is no producer
  onceEachKafkaMessage({ ...base, onFailed: { deadLetterTopic: 'dead', producer: admin } }, () => undefined);
});

test('what it returns can be run', () => {
  const config = onceEachKafkaMessage(base, () => undefined);
  expectTypeOf(config).toExtend<ConsumerRunConfig>();
  expectTypeOf(config).toEqualTypeOf<OnceEachKafkaMessage>();
  void consumer.run(config);
  expectTypeOf<EachBatchPayload>().toExtend<Parameters<typeof config.eachBatch>[0]>();
  expectTypeOf(config.counts()).toEqualTypeOf<Readonly<Partial<Record<KafkaEvent['type'], number>>>>();
});

test('a handler of eachMessage can be passed as it is', () => {
  const existing = (payload: EachMessagePayload): Promise<void> => payload.heartbeat();
  onceEachKafkaMessage(base, existing);
  onceEachKafkaMessage(base, {} as EachMessageHandler);
  onceEachKafkaMessage({ ...base, schema: order }, {} as EachMessageHandler);
  expectTypeOf<KafkaDelivery<unknown>>().toExtend<EachMessagePayload>();
});

test('its parts can be taken out, as the hooks of kafkajs often are', () => {
  onceEachKafkaMessage(base, async ({ topic, partition, message, heartbeat, pause }, attempt) => {
    expectTypeOf(topic).toBeString();
    expectTypeOf(partition).toBeNumber();
    expectTypeOf(message).toEqualTypeOf<KafkaMessage>();
    expectTypeOf(attempt).toEqualTypeOf<StepAttempt>();
    expectTypeOf(pause).toEqualTypeOf<() => () => void>();
    await heartbeat();
  });
});

test('a payload is the bytes, unless the options say more', () => {
  onceEachKafkaMessage(base, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<Buffer | null>();
  });
  onceEachKafkaMessage({ ...base, ordering: 'key', key: ({ offset }) => offset }, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<Buffer | null>();
  });
});

test('a payload is the output of the schema', () => {
  onceEachKafkaMessage({ ...base, schema: order }, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
  });
});

test('a payload is what parse returns, awaited', () => {
  const parse = (value: Buffer | null, { offset }: KafkaMessage) => Promise.resolve({ value, offset });
  onceEachKafkaMessage({ ...base, parse }, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<{ value: Buffer | null; offset: string }>();
  });
});

test('a schema has the last word over parse', () => {
  onceEachKafkaMessage({ ...base, parse: String, schema: order }, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
  });
});

test('a handler may be async or not, and return anything', () => {
  onceEachKafkaMessage(base, async () => Promise.resolve({ charged: true }));
  onceEachKafkaMessage(base, () => 1);
});

test('options are checked', () => {
  // @ts-expect-error -- not one of the orderings
  onceEachKafkaMessage({ ...base, ordering: 'offset' }, () => undefined);
  // @ts-expect-error -- not one of them
  onceEachKafkaMessage({ ...base, onFailed: 'keep' }, () => undefined);
  // @ts-expect-error -- a key is a text
  onceEachKafkaMessage({ ...base, key: ({ key }) => key }, () => undefined);
  // @ts-expect-error -- the group is missing
  onceEachKafkaMessage({ consumer, handleOnce, onFailed: 'acknowledge' }, () => undefined);
  // @ts-expect-error -- what becomes of a message that failed for good is not chosen
  onceEachKafkaMessage({ consumer, handleOnce, groupId: 'billing' }, () => undefined);
  const left = {
    schema: undefined,
    parse: undefined,
    key: undefined,
    ordering: undefined,
    onEvent: undefined,
  };
  const out = { concurrency: undefined, drainMs: undefined, admin: undefined, consumerConfig: undefined };
  onceEachKafkaMessage({ ...base, ...left, ...out, inTransaction: undefined }, () => undefined);
  // @ts-expect-error -- the handler is missing
  onceEachKafkaMessage(base);
});

test('events are a union on type', () => {
  onceEachKafkaMessage(
    {
      ...base,
      onEvent: (event) => {
        expectTypeOf(event).toEqualTypeOf<KafkaEvent>();
        if (event.type === 'partition-paused') expectTypeOf(event.retryAfterMs).toBeNumber();
        if (event.type === 'kept') expectTypeOf(event.error).toEqualTypeOf<EventError | undefined>();
      },
    },
    () => undefined,
  );
});

test('a fingerprint function gets the value and the message', () => {
  onceEachKafkaMessage(
    {
      ...base,
      key: () => 'order-1',
      fingerprint: (value, message) => {
        expectTypeOf(value).toEqualTypeOf<Buffer | null>();
        expectTypeOf(message).toEqualTypeOf<KafkaMessage>();
      },
    },
    () => undefined,
  );
});

test('with batch a handler gets a list of deliveries, and attempts that can fail', () => {
  const batched = { ...base, batch: { size: 100 } };
  onceEachKafkaMessage(batched, (deliveries, attempts) => {
    expectTypeOf(deliveries).toEqualTypeOf<readonly KafkaDelivery<Buffer | null>[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt[]>();
  });
  onceEachKafkaMessage({ ...batched, schema: order }, ([first]) => {
    expectTypeOf(first?.payload).toEqualTypeOf<{ id: string; amount: number } | undefined>();
  });
  const parse = (value: Buffer | null) => Promise.resolve({ value });
  onceEachKafkaMessage({ ...batched, parse }, async ([first]) => {
    expectTypeOf(first?.payload).toEqualTypeOf<{ value: Buffer | null } | undefined>();
    return Promise.resolve([first?.partition]);
  });
  const handler: KafkaBatchHandler<Buffer | null> = (deliveries) => deliveries.map(({ message }) => message);
  onceEachKafkaMessage(batched, handler);
  // @ts-expect-error -- a handler of one message
  onceEachKafkaMessage(batched, {} as KafkaHandler<Buffer | null>);
  // @ts-expect-error -- a handler of many
  onceEachKafkaMessage(base, handler);
});

test('with batch and inTransaction a handler gets the transaction, and attempts that cannot fail', () => {
  const transactional = createHandleOnce({ sql: postgres(), scope: 'billing' });
  const options = { ...base, handleOnce: transactional, batch: { size: 100 }, inTransaction: true } as const;
  onceEachKafkaMessage({ ...options, schema: order }, async (deliveries, attempts, tx) => {
    expectTypeOf(deliveries).toEqualTypeOf<readonly KafkaDelivery<{ id: string; amount: number }>[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly Attempt[]>();
    expectTypeOf(tx).toEqualTypeOf<postgres.TransactionSql>();
    await Promise.resolve();
  });
  // @ts-expect-error -- without inTransaction there is none
  onceEachKafkaMessage({ ...base, batch: { size: 100 } }, (_, __, tx: postgres.TransactionSql) => tx);
});

test('with batch the handlers of all clients are the same', () => {
  const { consumer: _, ...shared } = { ...base, topics: ['orders'], batch: { size: 100 } };
  createConfluent({ ...confluent, ...shared }, (deliveries, attempts) => {
    expectTypeOf(deliveries).toEqualTypeOf<readonly KafkaDelivery<Buffer | null>[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt[]>();
  });
  createPlatformatic({ ...platformatic, ...shared }, (deliveries, attempts) => {
    expectTypeOf(deliveries).toEqualTypeOf<readonly KafkaDelivery<Buffer | null>[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt[]>();
  });
});
