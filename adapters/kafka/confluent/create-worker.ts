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
import type { AnyHandler, ConsumptionOptions, KafkaHandler, KafkaPayload } from '../options.ts';
import { RebalanceError } from '../client/feeds.ts';
import { createSessionClient } from '../client/session-client.ts';
import { type KafkaWorker, workerOf } from '../worker.ts';
import { brokersOf, configWarnings, consumerConfigOf } from './consumer-config.ts';
import type { NativeConsumer } from './native.ts';
import { kafkaWorkerOptions, type KafkaWorkerOptions, type ResolvedWorker } from './options.ts';
import { ConfluentSession, type SessionOptions } from './session.ts';
import { adminOf, onFailedOf, retryOf } from './translate.ts';

const SUBJECT = 'createKafkaWorker';

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
      createSessionClient({
        ...{ listener, around },
        open: (handle) => new ConfluentSession({ ...sessionOptions(resolved, events), listener, handle }),
        endsMembership: (error): error is Error => error instanceof RebalanceError,
      }),
    configWarnings(resolved.config, resolved.handleOnce.settings),
  );
  return workerOf(consumption);
}

function consumptionOptions({
  admin,
  onFailed,
  retry,
  fromBeginning = false,
  ...others
}: ResolvedWorker): ConsumptionOptions {
  return {
    ...others,
    fromBeginning,
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
  const [settings, topicSettings] = consumerConfigOf(config, groupId);
  return {
    clock: handlesOf(handleOnce).clock,
    ...{ topics, fromBeginning },
    brokers: brokersOf(config),
    createConsumer: (onRebalance) => new Consumer({ ...settings, rebalance_cb: onRebalance }, topicSettings),
    onError: (error) => {
      events.emit({ type: 'client-error', verb: 'fetch', error });
    },
  };
}
