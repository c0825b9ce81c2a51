import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type BatchOptions, type OptionsChecked, resolveOptions } from '../../src/adapter-kit.ts';
import type { AnyHandleOnce } from '../../src/index.ts';
import { listenTo } from './client/kafkajs.ts';
import type { RunConfig } from './log/kafkajs-types.ts';
import { createConsumption } from './consumption.ts';
import { runFetch } from './fetch/run-fetch.ts';
import type { KafkaMonitor } from './health.ts';
import {
  type KafkaHandlerOf,
  type KafkaPayload,
  onceEachMessageOptions,
  type OnceEachKafkaMessageOptions,
} from './options/options.ts';
import { timeoutWarnings } from './settings-check.ts';
import { SHORT_RETRIES } from './options/short-retries.ts';

const SUBJECT = 'onceEachKafkaMessage';
const AUTO_COMMIT_INTERVAL_MS = 1_000;

/** What `consumer.run` takes. */
export interface OnceEachKafkaMessage extends RunConfig, KafkaMonitor {}

/**
 * The run config of a kafkajs consumer whose messages are each handled once. It is only for the consumer in the option
 * `consumer`: another consumer that runs it stops with `InvalidOptionsError` at its first message.
 *
 * An offset is committed only when its message, and every one before it, is succeeded or failed on record, or waits in
 * a topic of `retry`. Any other message withholds only its own partition, and is fetched again later. Heartbeats
 * continue while handlers run. An error of a handler never stops the consumer.
 *
 * Throws `InvalidOptionsError` that names every wrong field, also for a `consumer` that is already running, with any
 * config.
 *
 * @example
 * ```ts
 * const consumer = kafka.consumer({ groupId: 'billing' });
 * await consumer.connect();
 * await consumer.subscribe({ topics: ['orders'], fromBeginning: true });
 * const onFailed = { deadLetterTopic: 'orders-failed', producer };
 * const options = { consumer, groupId: 'billing', fromBeginning: true, handleOnce, schema: orderSchema, onFailed };
 * await consumer.run(
 *   onceEachKafkaMessage(options, async ({ payload }, attempt) => {
 *     await charge(payload, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   }),
 * );
 * ```
 */
export function onceEachKafkaMessage<
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = Buffer | null,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
  Batched extends BatchOptions | undefined = undefined,
>(
  options: OnceEachKafkaMessageOptions<Schema, Parsed, InTransaction> &
    OptionsChecked<Schema, Parsed, Once, InTransaction, Buffer | null> & { readonly batch?: Batched },
  handler: KafkaHandlerOf<KafkaPayload<Schema, Parsed, Once>, Once, InTransaction, Batched>,
): OnceEachKafkaMessage {
  const resolved = resolveOptions(SUBJECT, onceEachMessageOptions(), options, handler, SHORT_RETRIES);
  const { concurrency, consumer, consumerConfig, groupId, handleOnce } = resolved;
  const consumption = createConsumption(
    { ...resolved, subject: SUBJECT },
    (listener, { pauses, around }) =>
      listenTo(consumer, { groupId, listener, pauses, around, close: () => handleOnce.close() }),
    consumerConfig && timeoutWarnings(consumerConfig, handleOnce.settings),
  );
  return {
    // kafkajs commits too, and only positions that it got: everything below them is acknowledged.
    autoCommit: true,
    autoCommitInterval: AUTO_COMMIT_INTERVAL_MS,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: concurrency,
    eachBatch: (payload) => runFetch(consumption, consumption.client.fetchOf(payload)),
    counts: consumption.events.counts,
    health: consumption.health,
  };
}
