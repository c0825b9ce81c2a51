import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  connectionWarning,
  type Counts,
  createAdapterEvents,
  endsWithin,
  type EventSink,
  handleOf,
  inGroup,
  parseOptions,
  SHORT_RETRIES,
  withOwnRetries,
  warn,
  withHandler,
} from '../../src/adapter-kit.ts';
import type { Transactional } from '../../src/index.ts';
import { createAssignments } from './assignments.ts';
import type { KafkaEvent } from './events.ts';
import { createInHand } from './in-hand.ts';
import { type KafkaJs, listenTo } from './kafkajs.ts';
import type { RunConfig } from './kafkajs-types.ts';
import { createKeyTrial } from './key-trial.ts';
import { commitSoon } from './late-commits.ts';
import type { Assignment, LogConsumer, LogListener } from './log-client.ts';
import { watchLogs } from './log-watch.ts';
import {
  type AnyHandler,
  type KafkaHandler,
  onceEachMessageOptions,
  type OnceEachMessageOptions,
  type ResolvedOptions,
} from './options.ts';
import { createPauses } from './pauses.ts';
import type { Verdict } from './process-message.ts';
import type { GroupAdmin } from './retry-consumed.ts';
import { createRetryTopics, keyOfOriginals, type RetryTopics } from './retry-topics.ts';
import { ABORT_GRACE_MS, type Consumption, runFetch } from './run-fetch.ts';
import { timeoutWarnings, topicWarnings } from './settings-check.ts';
import { createSlots } from './slots.ts';
import { holdStartPositions } from './start-positions.ts';
import { createWarnStuck } from './stuck.ts';

const SUBJECT = 'onceEachMessage';
const AUTO_COMMIT_INTERVAL_MS = 1_000;

/** What `consumer.run` takes. */
export interface OnceEachMessage extends RunConfig {
  /** How often each type of event happened. */
  counts(): Counts<KafkaEvent['type']>;
}

/**
 * The run config of a kafkajs consumer whose messages are each handled once.
 *
 * An offset is committed only when its message, and every one before it, is succeeded or failed on record, or waits in a
 * topic of `retry`. A message that is neither withholds its partition, alone, and is fetched again later. Heartbeats go on while handlers run. An
 * error of a handler never stops the consumer.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const consumer = kafka.consumer({ groupId: 'billing' });
 * await consumer.connect();
 * await consumer.subscribe({ topics: ['orders'] });
 * const onFailed = { deadLetterTopic: 'orders-failed', producer };
 * await consumer.run(
 *   onceEachMessage({ consumer, groupId: 'billing', handleOnce, onFailed }, async ({ message }, attempt) => {
 *     await charge(message.value, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
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
  options: Transactional<OnceEachMessageOptions<Schema, Parsed>, Tx>,
  handler: KafkaHandler<Schema, Parsed, Result, [transaction: Tx]>,
): OnceEachMessage;
export function onceEachMessage<
  Result,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = Buffer | null,
>(
  options: OnceEachMessageOptions<Schema, Parsed>,
  handler: KafkaHandler<Schema, Parsed, Result>,
): OnceEachMessage;
export function onceEachMessage(options: object, handler: AnyHandler): OnceEachMessage {
  const resolved = withOwnRetries(
    parseOptions(SUBJECT, onceEachMessageOptions, withHandler(options, handler)),
    SHORT_RETRIES,
  );
  const { concurrency } = resolved;
  const consumption = createConsumption(resolved);
  return {
    autoCommit: true,
    autoCommitInterval: AUTO_COMMIT_INTERVAL_MS,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: concurrency,
    eachBatch: (payload) => runFetch(consumption, consumption.client.fetchOf(payload)),
    counts: consumption.events.counts,
  };
}

function createConsumption(resolved: ResolvedOptions): Consumption & { readonly client: KafkaJs } {
  const { consumer, concurrency, groupId, key } = resolved;
  const handleOnce = inGroup(resolved.handleOnce, groupId);
  const events = createAdapterEvents(resolved);
  const retryTopics = retryTopicsOf(resolved, events);
  const keyTrial = createKeyTrial(keyOfOriginals(key, retryTopics));
  const pauses = createPauses(() => client);
  const assignments = createAssignments(({ topic, partition }) => {
    pauses.forget({ topic, partition });
    events.emit({ type: 'partition-lost', topic, partition });
  });
  const processor = {
    ...resolved,
    settings: handleOnce.settings,
    handle: handleOf(handleOnce, resolved.inTransaction),
    events,
    keyTrial,
    retryTopics,
    warnStuck: createWarnStuck(events),
  };
  const consumption = {
    ...resolved,
    ...{ processor, assignments, pauses, keyTrial, retryTopics, events },
    slots: createSlots(concurrency),
    inHand: createInHand<Verdict>(),
  };
  const client = listenTo(
    consumer,
    createListener(resolved, consumption, () => client),
  );
  warn(connectionWarning({ ...handleOnce.settings, ...resolved }), events);
  warnOfSettings(resolved, events);
  return { ...consumption, client };
}

function retryTopicsOf(
  { retry, admin, groupId }: ResolvedOptions,
  events: EventSink<KafkaEvent>,
): RetryTopics | undefined {
  if (retry === undefined) return undefined;
  // The options are refused without it.
  return createRetryTopics({ retry, admin: admin as GroupAdmin, groupId, events });
}

/** Follows what the group decides and what the user commands. */
function createListener(
  options: ResolvedOptions,
  { assignments, pauses, inHand, retryTopics, events }: Omit<Consumption, 'client'> & HasRetryTopics,
  client: () => LogConsumer,
): LogListener {
  const { admin, groupId, drainMs, fromBeginning } = options;
  const seen = new Set<string>();
  if (admin !== undefined) watchLogs(admin, assignments, events);
  return {
    joined(assignment) {
      assignments.joined(assignment);
      const topics = Object.keys(assignment).filter((topic) => !seen.has(topic));
      for (const topic of topics) seen.add(topic);
      if (topics.length > 0) void lookAt(topics, options, events);
      retryTopics?.joined();
      if (admin === undefined) return;
      const start = { client: client(), pauses, admin, groupId, events };
      const generation = assignments.generation();
      const [retries, others] = splitTopics(assignment, (topic) => retryTopics?.has(topic) === true);
      void holdStartPositions(retries, generation, { ...start, from: 'beginning' });
      if (fromBeginning === false) void holdStartPositions(others, generation, start);
    },
    passedOver(place, position) {
      const tracker = assignments.trackerOf(place);
      if (tracker === undefined) return;
      tracker.advanceTo(position);
      const through = { commit: (at: bigint) => client().commit(place, at), isRunning: () => true };
      commitSoon({ client: client(), tracker, generation: assignments.generation(), through, events });
    },
    async stopping() {
      if (await endsWithin(inHand.ended(), drainMs)) return;
      assignments.abortAll('the consumer stops');
      await endsWithin(inHand.ended(), ABORT_GRACE_MS);
    },
    stopped() {
      assignments.stopped();
      pauses.clear();
    },
    crashed(error, restart) {
      if (restart) return;
      assignments.abortAll('the consumer has stopped for good');
      const message = `the consumer of group ${groupId} has stopped for good (${error.name}): restart it`;
      warn({ warning: 'CONSUMER_STOPPED', message }, events);
    },
    paused(topics) {
      pauses.userPaused(topics);
    },
    resumed(topics) {
      pauses.userResumed(topics);
    },
  };
}

interface HasRetryTopics {
  readonly retryTopics: RetryTopics | undefined;
}

function splitTopics(assignment: Assignment, isRetry: (topic: string) => boolean): [Assignment, Assignment] {
  const those = (which: boolean): Assignment =>
    Object.fromEntries(Object.entries(assignment).filter(([topic]) => isRetry(topic) === which));
  return [those(true), those(false)];
}

function warnOfSettings(options: ResolvedOptions, events: EventSink<KafkaEvent>): void {
  const { admin, consumerConfig, fromBeginning, handleOnce } = options;
  if (consumerConfig !== undefined) {
    for (const warning of timeoutWarnings(consumerConfig, handleOnce.settings)) warn(warning, events);
  }
  if (fromBeginning === true || (admin !== undefined && fromBeginning === false)) return;
  warn({ warning: 'START_NOT_COMMITTED', message: START_UNKNOWN }, events);
}

const START_UNKNOWN =
  'a partition of which the group has committed nothing can lose what is produced while this consumer restarts: give ' +
  'onceEachMessage fromBeginning: true if you subscribe so, or fromBeginning: false and admin';

async function lookAt(
  topics: readonly string[],
  { admin, handleOnce, onFailed }: ResolvedOptions,
  events: EventSink<KafkaEvent>,
): Promise<void> {
  if (onFailed !== 'commit' && topics.includes(onFailed.deadLetterTopic)) {
    const message = `${onFailed.deadLetterTopic} is consumed too: a dead letter would fail and be produced again, without end`;
    warn({ warning: 'DEAD_LETTER_TOPIC_CONSUMED', message }, events);
  }
  if (admin === undefined) return;
  for (const warning of await topicWarnings(admin, topics, handleOnce.settings)) warn(warning, events);
}
