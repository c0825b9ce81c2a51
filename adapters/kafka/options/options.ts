import {
  type AttemptFor,
  batchOption,
  type BatchOptions,
  type HandlerFor,
  chosen,
  type FingerprintOptions,
  flag,
  handlerOption,
  lazily,
  NOT_AN_OBJECT,
  type ParsedPayload,
  type TransactionOf,
  wholeNumber,
  withMethods,
  consumerFields,
} from '../../../src/adapter-kit.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { checkLogOptions, logFields } from '../../shared/kafka/log-options.ts';
import type { AnyHandleOnce, Attempt, BatchHandler, Logger, RetryOptions } from '../../../src/index.ts';
import type { KafkaOnFailed } from '../log/dead-letter.ts';
import type { KafkaEvent } from '../log/events.ts';
import type { KafkaAdmin, KafkaConsumer, KafkaProducer } from '../log/kafkajs-types.ts';
import type { LogAdmin } from '../log/log-admin.ts';
import type { KafkaMessage } from '../log/log-client.ts';
import type { Ordering } from './ordering.ts';
import { checkRetry, type RetryInTopics, retryOption, topicName } from './retry-options.ts';

/** What a handler gets as payload: the output of the schema, here or of `handleOnce`, or else of `parse`. */
export type KafkaPayload<Schema, Parsed, Once = unknown> = ParsedPayload<Schema, Parsed, Once>;

/** What kafkajs gives an `eachMessage` handler, and the payload. */
export interface KafkaDelivery<Payload> {
  /** Of the original, where this is a copy: in a retry topic, or redriven. */
  readonly topic: string;
  /** Of the original, where this is a copy: in a retry topic, or redriven. */
  readonly partition: number;
  /** Its value is always bytes. Offset and timestamp of a copy are those of the original. */
  readonly message: KafkaMessage;
  /** The message's value, parsed and validated where that was asked for. */
  readonly payload: Payload;
  /** Not needed: heartbeats continue while handlers run. It never throws. */
  readonly heartbeat: () => Promise<void>;
  /** Pauses the partition after this message. Returns what resumes it. */
  readonly pause: () => () => void;
}

/** `Extra` is the transaction, with the option `inTransaction`: `KafkaHandler<Order, [tx: TransactionSql]>`. */
export type KafkaHandler<Payload, Extra extends readonly unknown[] = [], Result = unknown> = (
  delivery: KafkaDelivery<Payload>,
  attempt: AttemptFor<Extra>,
  ...extra: Extra
) => Result | PromiseLike<Result>;

/** The handler with the option `batch`. It gets, for each message, what a handler of one message gets. */
export type KafkaBatchHandler<
  Payload,
  Extra extends readonly unknown[] = [],
  Result = unknown,
  Of extends Attempt = Attempt,
> = BatchHandler<KafkaDelivery<Payload>, Extra, Result, Of>;

/** The handler that the options ask for. `Batched` is the option `batch`. */
export type KafkaHandlerOf<Payload, Once, InTransaction, Batched> = HandlerFor<
  Batched,
  KafkaHandler<Payload, TransactionOf<Once, InTransaction>>
>;

/** A handler, whatever its payload is. */
export type AnyHandler = (delivery: KafkaDelivery<never>, attempt: Attempt, ...extra: never[]) => unknown;

/** The options of `kafka.consumer(...)` of kafkajs, as far as they can contradict the lease. Times are milliseconds. */
export interface ConsumerTimeouts {
  readonly groupId?: string | undefined;
  readonly sessionTimeout?: number | undefined;
  readonly rebalanceTimeout?: number | undefined;
  readonly heartbeatInterval?: number | undefined;
  readonly maxWaitTimeInMs?: number | undefined;
}

/** Options of `onceEachKafkaMessage`. */
export interface OnceEachKafkaMessageOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
>
  extends RetryOptions, FingerprintOptions<Buffer | null, [message: KafkaMessage]> {
  /** Made by `kafka.consumer({ groupId })`. Connect and subscribe it yourself. No other consumer may run the config. */
  readonly consumer: KafkaConsumer;
  /** The consumer's group. It is part of the scope: two groups never skip each other's work. */
  readonly groupId: string;
  /**
   * Made by `createHandleOnce`. Records are kept in the scope `<scope>>kafka:<group>`. Where neither it nor this
   * adapter is given retries, they are shorter, because the partition waits: 10 attempts, up to 5 minutes apart.
   */
  readonly handleOnce: AnyHandleOnce;
  /** With true, handlers get a transaction as third argument, and the record commits with it. Default false. */
  readonly inTransaction?: InTransaction | undefined;
  /** Any Standard Schema: `payload` is its output; a value that does not fit fails permanently. */
  readonly schema?: Schema | undefined;
  /**
   * Turns the value into `payload`. What it throws fails the message permanently; a `RetryableError` releases it.
   * Default: the value as it is, or, with a `schema`, its JSON; a tombstone is null in either case.
   */
  readonly parse?: ((value: Buffer | null, message: KafkaMessage) => Parsed) | undefined;
  /**
   * The identity of a message. Default its topic, partition and offset, which dedupes redeliveries. A business key also
   * dedupes messages that a producer wrote twice; the same key must come with the same value, byte for byte, or it is a
   * mismatch, unless `fingerprint` or `ignoredFields`, which need a `key`, say what may differ. A message for which it
   * throws, or returns no key, is dead-lettered or withheld: if a value can lack a key, return its topic, partition and
   * offset instead.
   */
  readonly key?:
    | ((message: KafkaMessage, topic: string, partition: number) => string | undefined)
    | undefined;
  /** Which messages of a partition wait for one another. Default `'partition'`: strict order. */
  readonly ordering?: Ordering | undefined;
  /** The most handlers that run at once in this consumer, 1 to 1,000. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * The handler gets up to `size` messages of one fetch of one partition at once, 2 to 500. Default: one message.
   *
   * Each message has its own record, and the order of `ordering`: under `'partition'` and `'key'` a partition has one
   * batch at a time, in the order of the offsets, and no later message runs while one is kept. But without
   * `inTransaction` the rest of its batch has run when a message fails. Only messages at their first attempt are in
   * batches. Others run in a list of one, and so do the messages of a transaction that threw. `concurrency` counts
   * batches; `concurrency` times `size` is at most 5,000. Needs `maxDeaths` of 3 or more, and, without `inTransaction`,
   * `maxAttempts` of 2 or more.
   *
   * @example
   * ```ts
   * const place = { consumer, groupId, handleOnce, schema: orderSchema, onFailed: 'acknowledge' } as const;
   * const options = { ...place, batch: { size: 100 }, inTransaction: true } as const;
   * const config = onceEachKafkaMessage(options, async (deliveries, _, tx) => {
   *   const rows = deliveries.map(({ payload }) => ({ id: payload.orderId, cents: payload.cents }));
   *   await tx`insert into invoices ${tx(rows)}`;
   * });
   * ```
   */
  readonly batch?: BatchOptions | undefined;
  /**
   * What to do with a message that failed permanently; there is no default. `'acknowledge'` commits its offset: only
   * its record and its event show the failure. A message whose payload differs from its record's, or whose key is
   * invalid, is withheld. With `{ deadLetterTopic, producer }` a copy of each of these is produced to that topic first,
   * with name and message of the error in its header `handle-once-error`.
   */
  readonly onFailed: KafkaOnFailed;
  /**
   * Where messages wait for their next attempt, so that their partitions continue. Default: each waits in its
   * partition. Needs `ordering: 'unordered'` and `admin`. Subscribe the consumer to these topics too.
   *
   * After two attempts in place, or one whose wait is at least the shortest delay, a copy goes to the first topic whose
   * delay is at least the wait, or else to the last, and its offset counts as acknowledged. The copy has the record of
   * the original: attempts continue, a success anywhere counts, and the handler gets the original's topic, partition,
   * offset and timestamp. Nothing goes to a topic that the group does not consume; the message then waits in place.
   */
  readonly retry?: RetryInTopics | undefined;
  /** Milliseconds that handlers get to finish when the consumer stops, before their signals abort. Default 20,000. */
  readonly drainMs?: number | undefined;
  /**
   * Milliseconds that handlers get to end when the group rebalances, before the member joins without them; they then
   * keep running. The whole group waits that long. At most the `rebalanceTimeout` of `consumerConfig`. Default 2,000.
   */
  readonly rebalanceGraceMs?: number | undefined;
  /** The same as for `subscribe`: whether a partition without a committed offset begins at its oldest message. */
  readonly fromBeginning?: boolean | undefined;
  /**
   * A connected admin client. It compares the retention of the topics with that of the records, detects re-created
   * topics, and with `fromBeginning: false` commits the start of idle partitions. `retry` needs it.
   */
  readonly admin?: KafkaAdmin | undefined;
  /** The same object as given to `kafka.consumer`, to compare its timeouts with the lease. */
  readonly consumerConfig?: ConsumerTimeouts | undefined;
  /** Called with each event as it happens, and not awaited. What it throws is reported. */
  readonly onEvent?: ((event: KafkaEvent) => unknown) | undefined;
  /** Gets operational problems, as in `createHandleOnce`. Default: the logger of `handleOnce`. */
  readonly logger?: Logger | undefined;
}

const onFailed = lazily(() =>
  chosen(
    [
      z.literal('acknowledge'),
      z.strictObject({
        deadLetterTopic: topicName(),
        producer: withMethods<KafkaProducer>(['send'], 'a connected producer'),
      }),
    ],
    "must be chosen: 'acknowledge' commits the offset, and then only the record and its event show the failure; " +
      '{ deadLetterTopic, producer } first produces a copy to that topic, with a connected producer',
  ),
);

/** Of kafkajs. */
const DEFAULT_REBALANCE_TIMEOUT_MS = 60_000;

const timeout = lazily(() => z.optional(wholeNumber('milliseconds', 0, 2_147_483_647)));

/** The fields that every client has. Of the producers only that they send: how they do is their client's. */
export const consumptionFields = lazily(() => ({
  ...logFields<KafkaMessage>(),
  ...consumerFields<KafkaEvent>(),
  ordering: z._default(
    z.enum(['partition', 'key', 'unordered'], { error: "must be 'partition', 'key' or 'unordered'" }),
    'partition',
  ),
  concurrency: z._default(wholeNumber('handlers', 1, 1_000), 10),
  batch: batchOption(),
  onFailed: onFailed(),
  retry: z.optional(retryOption()),
  drainMs: z._default(wholeNumber('milliseconds', 0, 43_200_000), 20_000),
  rebalanceGraceMs: z._default(wholeNumber('milliseconds', 0, 43_200_000), 2_000),
  fromBeginning: z.optional(flag()),
  handler: handlerOption<AnyHandler>('delivery, attempt'),
}));

export const onceEachMessageOptions = lazily(() =>
  z
    .strictObject(
      {
        consumer: withMethods<KafkaConsumer>(
          ['on', 'pause', 'resume', 'run', 'stop', 'disconnect', 'seek', 'commitOffsets'],
          'a consumer of kafkajs',
        ),
        ...consumptionFields(),
        admin: z.optional(
          withMethods<KafkaAdmin>(
            ['describeConfigs', 'fetchOffsets', 'fetchTopicOffsets'],
            'a connected admin client',
          ),
        ),
        consumerConfig: z.optional(
          z.looseObject(
            {
              groupId: z.optional(z.string({ error: 'must be a string' })),
              sessionTimeout: timeout(),
              rebalanceTimeout: timeout(),
              heartbeatInterval: timeout(),
              maxWaitTimeInMs: timeout(),
            },
            { error: 'must be the object that kafka.consumer was given' },
          ),
        ),
      },
      NOT_AN_OBJECT,
    )
    .check(
      z.refine(({ groupId, consumerConfig }) => (consumerConfig?.groupId ?? groupId) === groupId, {
        path: ['groupId'],
        error: 'must be the group of consumerConfig',
      }),
      z.refine(
        ({ rebalanceGraceMs, consumerConfig }) =>
          rebalanceGraceMs <= (consumerConfig?.rebalanceTimeout ?? DEFAULT_REBALANCE_TIMEOUT_MS),
        {
          path: ['rebalanceGraceMs'],
          error:
            'must be at most the rebalanceTimeout of the consumer, or the group continues without this member',
        },
      ),
      z.superRefine(checkRetry),
      z.superRefine(checkLogOptions),
    ),
);

export type ResolvedOptions = z.output<ReturnType<typeof onceEachMessageOptions>>;

/** Options of every client, with what they are made of in the shapes of kafkajs. */
export interface ConsumptionOptions extends Omit<ResolvedOptions, 'consumer' | 'consumerConfig' | 'admin'> {
  /** The function of this package that was given them, for errors. */
  readonly subject: string;
  readonly admin?: LogAdmin | undefined;
}
