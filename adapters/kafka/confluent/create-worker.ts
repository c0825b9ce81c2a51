import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type EventSink,
  handlesOf,
  parseOptions,
  type PayloadChecked,
  SHORT_RETRIES,
  withHandler,
  type WithoutTransaction,
  withOwnRetries,
} from '../../../src/adapter-kit.ts';
import type { Transactional } from '../../../src/index.ts';
import { createConsumption } from '../consumption.ts';
import type { KafkaEvent } from '../events.ts';
import { runFetch } from '../fetch/run-fetch.ts';
import type { KafkaMonitor } from '../health.ts';
import type { AnyHandler, ConsumptionOptions, KafkaHandler, KafkaPayload } from '../options.ts';
import type { TopicPartitions } from '../client/log-client.ts';
import { createConfluentClient } from './confluent-client.ts';
import { configWarnings, consumerConfigOf } from './consumer-config.ts';
import type { NativeConsumer } from './native.ts';
import { kafkaWorkerOptions, type KafkaWorkerOptions, type ResolvedWorker } from './options.ts';
import type { SessionOptions } from './session.ts';
import { adminOf, onFailedOf, retryOf } from './translate.ts';

const SUBJECT = 'createKafkaWorker';

/** A consumer of one group, made by `createKafkaWorker`. */
export interface KafkaWorker extends KafkaMonitor {
  /**
   * Connects, subscribes and joins the group. Resolves when it has subscribed; it may be called again after `stop`.
   * Throws what the client throws.
   */
  run(): Promise<void>;
  /** Waits for handlers, commits what they settled, and leaves the group. Resolves when the process may end. */
  stop(): Promise<void>;
  /** Handles nothing more of topics, or of some of their partitions, until `resume`. */
  pause(topics: readonly TopicPartitions[]): void;
  /** Ends a pause of your own. */
  resume(topics: readonly TopicPartitions[]): void;
  /** The partitions of this member that are paused: by you, or while a message of them waits. */
  paused(): readonly { readonly topic: string; readonly partition: number }[];
  /** Reads a partition from an offset, which it commits. Throws where the partition is not this member's. */
  seek(position: { readonly topic: string; readonly partition: number; readonly offset: string }): void;
}

/**
 * A worker on Confluent's client whose messages are each handled once.
 *
 * An offset is committed only when its message, and every one before it, is succeeded or failed on record, or waits in
 * a topic of `retry`. Any other message withholds its partition, alone, and is handled again later. The broker is asked
 * for messages while handlers run: no handler is too long for `max.poll.interval.ms`. An error of a handler never stops
 * the worker.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * import confluent from '@confluentinc/kafka-javascript';
 * import { createKafkaWorker } from 'handle-once/kafka-confluent';
 *
 * const config = { 'bootstrap.servers': 'localhost:9092' };
 * const place = { client: confluent, config, topics: ['orders'], groupId: 'billing', fromBeginning: true };
 * const options = { ...place, handleOnce, schema: orderSchema, onFailed: 'acknowledge' } as const;
 * const worker = createKafkaWorker(options, async ({ payload }) => {
 *   await ship(payload);
 * });
 * await worker.run();
 * ```
 */
export function createKafkaWorker<
  Result,
  Tx,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = Buffer | null,
  Inherited = unknown,
>(
  options: Transactional<KafkaWorkerOptions<Schema, Parsed>, Tx> &
    PayloadChecked<Schema, Parsed, Inherited, Buffer | null>,
  handler: KafkaHandler<KafkaPayload<Schema, Parsed, Inherited>, [transaction: Tx], Result>,
): KafkaWorker;
export function createKafkaWorker<
  Result,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = Buffer | null,
  Inherited = unknown,
>(
  options: KafkaWorkerOptions<Schema, Parsed> & PayloadChecked<Schema, Parsed, Inherited, Buffer | null>,
  handler: KafkaHandler<KafkaPayload<Schema, Parsed, Inherited>, WithoutTransaction, Result>,
): KafkaWorker;
export function createKafkaWorker(options: object, handler: AnyHandler): KafkaWorker {
  const resolved = withOwnRetries(
    parseOptions(SUBJECT, kafkaWorkerOptions(), withHandler(options, handler)),
    SHORT_RETRIES,
  );
  const consumption = createConsumption(
    consumptionOptions(resolved),
    (listener, { around, events }) =>
      createConfluentClient({ ...sessionOptions(resolved, events), listener, around }),
    configWarnings(resolved.config, resolved.handleOnce.settings),
  );
  const { client, events, health } = consumption;
  return {
    run: () => client.run((fetch) => runFetch(consumption, fetch)),
    stop: () => client.stop(),
    pause: (topics) => {
      client.user.pause(topics);
    },
    resume: (topics) => {
      client.user.resume(topics);
    },
    paused: () => client.user.paused(),
    seek: ({ topic, partition, offset }) => {
      client.user.seek({ topic, partition }, BigInt(offset));
    },
    counts: events.counts,
    health,
  };
}

function consumptionOptions({ admin, onFailed, retry, ...others }: ResolvedWorker): ConsumptionOptions {
  return {
    ...others,
    admin: admin && adminOf(admin),
    onFailed: onFailedOf(onFailed),
    retry: retry && retryOf(retry),
  };
}

function sessionOptions(
  { client, config, topics, groupId, fromBeginning, handleOnce }: ResolvedWorker,
  events: EventSink<KafkaEvent>,
): Omit<SessionOptions, 'listener' | 'handle'> {
  const Consumer = client.KafkaConsumer as unknown as new (...configs: object[]) => NativeConsumer;
  const [settings, topicSettings] = consumerConfigOf(config, groupId, fromBeginning);
  return {
    clock: handlesOf(handleOnce).clock,
    topics,
    createConsumer: (onRebalance) => new Consumer({ ...settings, rebalance_cb: onRebalance }, topicSettings),
    onError: (error) => {
      events.emit({ type: 'client-error', verb: 'fetch', error });
    },
  };
}
