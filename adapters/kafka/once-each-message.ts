import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  connectionWarning,
  consumerOf,
  type Counts,
  createAdapterEvents,
  createTrial,
  type EventSink,
  fingerprintOnTrial,
  parseOptions,
  type PayloadChecked,
  SHORT_RETRIES,
  withOwnRetries,
  warn,
  watchStore,
  withHandler,
  type WithoutTransaction,
} from '../../src/adapter-kit.ts';
import { inGroup } from '../shared/kafka/log-identity.ts';
import type { Transactional } from '../../src/index.ts';
import { createAssignments } from './partition/assignments.ts';
import type { KafkaEvent } from './events.ts';
import { followGroup } from './follow-group.ts';
import { healthOf, type KafkaHealth, withMembership } from './health.ts';
import { createInHand } from './fetch/in-hand.ts';
import { type KafkaJs, listenTo } from './client/kafkajs.ts';
import type { RunConfig } from './client/kafkajs-types.ts';
import { createKeyTrial } from './fetch/key-trial.ts';
import {
  type AnyHandler,
  type KafkaHandler,
  type KafkaPayload,
  onceEachMessageOptions,
  type OnceEachMessageOptions,
  type ResolvedOptions,
} from './options.ts';
import { createPauses } from './partition/pauses.ts';
import type { MessageVerdict } from './fetch/process-message.ts';
import type { GroupAdmin } from './retry/retry-consumed.ts';
import type { KafkaMessage } from './client/log-client.ts';
import { createToOriginal } from '../shared/kafka/retry-copy.ts';
import { createRetryTopics, keyOfOriginals, type RetryTopics } from './retry/retry-topics.ts';
import { type Consumption, runFetch } from './fetch/run-fetch.ts';
import { warnOfSettings } from './settings-warnings.ts';
import { createSlots } from './fetch/slots.ts';
import { createWarnStuck } from './partition/stuck.ts';

const SUBJECT = 'onceEachMessage';
const AUTO_COMMIT_INTERVAL_MS = 1_000;

/** What `consumer.run` takes. */
export interface OnceEachMessage extends RunConfig {
  /** How often each type of event happened. */
  counts(): Counts<KafkaEvent['type']>;
  /**
   * What the consumer knows of itself, for the probes of an orchestrator. It answers at once, and never throws.
   *
   * It costs no round trip, but where the last answer of the store is ten seconds old: then one read of the store
   * (`checkStore`) begins, for the next call.
   */
  health(): KafkaHealth;
}

/**
 * The run config of a kafkajs consumer whose messages are each handled once.
 *
 * An offset is committed only when its message, and every one before it, is succeeded or failed on record, or waits in
 * a topic of `retry`. Any other message withholds its partition, alone, and is fetched again later. Heartbeats go on
 * while handlers run. An error of a handler never stops the consumer.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const consumer = kafka.consumer({ groupId: 'billing' });
 * await consumer.connect();
 * await consumer.subscribe({ topics: ['orders'], fromBeginning: true });
 * const onFailed = { deadLetterTopic: 'orders-failed', producer };
 * const options = { consumer, groupId: 'billing', fromBeginning: true, handleOnce, schema: orderSchema, onFailed };
 * await consumer.run(
 *   onceEachMessage(options, async ({ payload }, attempt) => {
 *     await charge(payload, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   }),
 * );
 * ```
 */
export function onceEachMessage<
  Result,
  Tx,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = Buffer | null,
>(
  options: Transactional<OnceEachMessageOptions<Schema, Parsed>, Tx> &
    PayloadChecked<Schema, Parsed, Buffer | null>,
  handler: KafkaHandler<KafkaPayload<Schema, Parsed>, [transaction: Tx], Result>,
): OnceEachMessage;
export function onceEachMessage<
  Result,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = Buffer | null,
>(
  options: OnceEachMessageOptions<Schema, Parsed> & PayloadChecked<Schema, Parsed, Buffer | null>,
  handler: KafkaHandler<KafkaPayload<Schema, Parsed>, WithoutTransaction, Result>,
): OnceEachMessage;
export function onceEachMessage(options: object, handler: AnyHandler): OnceEachMessage {
  const resolved = withOwnRetries(
    parseOptions(SUBJECT, onceEachMessageOptions(), withHandler(options, handler)),
    SHORT_RETRIES,
  );
  const { concurrency } = resolved;
  const consumption = createConsumption(resolved);
  return {
    // kafkajs commits too, and only positions that it was told: those below which everything is acknowledged.
    autoCommit: true,
    autoCommitInterval: AUTO_COMMIT_INTERVAL_MS,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: concurrency,
    eachBatch: (payload) => runFetch(consumption, consumption.client.fetchOf(payload)),
    counts: consumption.events.counts,
    health: consumption.health,
  };
}

function createConsumption(
  resolved: ResolvedOptions,
): Consumption & { readonly client: KafkaJs; readonly health: () => KafkaHealth } {
  const { consumer, concurrency, groupId } = resolved;
  const handleOnce = inGroup(resolved.handleOnce, groupId);
  const events = createAdapterEvents(resolved);
  const retryTopics = retryTopicsOf(resolved, events);
  const toOriginal = createToOriginal<KafkaMessage>(groupId, (topic) => retryTopics?.has(topic) === true);
  const trial = createTrial();
  const key = resolved.key && trial.wrap('key', resolved.key);
  const keyTrial = createKeyTrial(keyOfOriginals(key, toOriginal));
  const pauses = createPauses(() => client);
  const assignments = createAssignments(({ topic, partition }) => {
    pauses.forget({ topic, partition });
    events.emit({ type: 'partition-lost', topic, partition });
  });
  const { consumer: watched, store } = watchStore(handleOnce, consumerOf({ ...resolved, handleOnce }));
  const processor = {
    ...resolved,
    key,
    ...fingerprintOnTrial(trial, resolved),
    consumer: watched,
    events,
    keyTrial,
    retryTopics,
    toOriginal,
    warnStuck: createWarnStuck(events, resolved.onFailed !== 'acknowledge'),
  };
  const consumption = {
    ...resolved,
    ...{ processor, assignments, pauses, keyTrial, trial, retryTopics, events },
    slots: createSlots(concurrency),
    inHand: createInHand<MessageVerdict>(),
  };
  const { listener, membership } = withMembership(followGroup(resolved, consumption, () => client));
  const client = listenTo(consumer, listener, handleOnce.settings.around?.consumer);
  warn(connectionWarning({ ...handleOnce.settings, ...resolved }), events);
  warnOfSettings(resolved, events);
  const health = (): KafkaHealth =>
    healthOf(membership(), store.reach(), assignments.trackers(), pauses.held());
  return { ...consumption, client, health };
}

function retryTopicsOf(
  { retry, admin, groupId }: ResolvedOptions,
  events: EventSink<KafkaEvent>,
): RetryTopics | undefined {
  if (retry === undefined) return undefined;
  // The options are refused without it.
  return createRetryTopics({ retry, admin: admin as GroupAdmin, groupId, events });
}
