import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  callOf,
  connectionWarning,
  type Counts,
  createAdapterEvents,
  type EventSink,
  inGroup,
  parseOptions,
  SHORT_RETRIES,
  withOwnRetries,
  warn,
  withHandler,
} from '../../src/adapter-kit.ts';
import type { Transactional } from '../../src/index.ts';
import type { KafkaEvent } from './events.ts';
import { createInHand } from './in-hand.ts';
import type { RunConfig } from './kafka-client.ts';
import { createLateCommits } from './late-commits.ts';
import { createMembership, type Membership } from './membership.ts';
import {
  type AnyHandler,
  type KafkaHandler,
  onceEachMessageOptions,
  type OnceEachMessageOptions,
  type ResolvedOptions,
} from './options.ts';
import { createPauses } from './pauses.ts';
import type { Verdict } from './process-message.ts';
import { runBatch } from './run-batch.ts';
import { timeoutWarnings, topicWarnings } from './settings-check.ts';
import { createSlots } from './slots.ts';
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
 * An offset is committed only when its message, and every one before it, is succeeded or failed on record. A message
 * that is neither withholds its partition, alone, and is fetched again later. Heartbeats go on while handlers run. An
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
  const { consumer, concurrency } = resolved;
  const handleOnce = inGroup(resolved.handleOnce, resolved.groupId);
  const events = createAdapterEvents(resolved);
  const pauses = createPauses(consumer);
  const membership = createMembership((topic, partition) => {
    pauses.forget(topic, partition);
    events.emit({ type: 'partition-lost', topic, partition });
  });
  const consumption = {
    ...resolved,
    ...{
      processor: {
        ...resolved,
        handleOnce,
        call: callOf(handleOnce, resolved.inTransaction),
        events,
        warnStuck: createWarnStuck(events),
      },
      membership,
      pauses,
      events,
    },
    slots: createSlots(concurrency),
    inHand: createInHand<Verdict>(),
    lateCommits: createLateCommits(events),
  };
  warn(connectionWarning({ ...handleOnce.settings, ...resolved }), events);
  follow(resolved, membership, events);
  return {
    autoCommit: true,
    autoCommitInterval: AUTO_COMMIT_INTERVAL_MS,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: concurrency,
    eachBatch: (payload) => runBatch(consumption, payload),
    counts: events.counts,
  };
}

/** Follows what the group decides, and looks at the settings when it is first known what is consumed. */
function follow(options: ResolvedOptions, membership: Membership, events: EventSink<KafkaEvent>): void {
  const { consumer, consumerConfig } = options;
  const seen = new Set<string>();
  if (consumerConfig !== undefined) {
    const { settings } = options.handleOnce;
    for (const warning of timeoutWarnings(consumerConfig, settings)) warn(warning, events);
  }
  consumer.on('consumer.group_join', ({ payload: { memberAssignment } }) => {
    membership.joined(memberAssignment);
    const topics = Object.keys(memberAssignment).filter((topic) => !seen.has(topic));
    for (const topic of topics) seen.add(topic);
    if (topics.length > 0) void lookAt(topics, options, events);
  });
  consumer.on('consumer.crash', ({ payload: { error, restart } }) => {
    if (restart) return;
    membership.joined({});
    const message = `the consumer of group ${options.groupId} has stopped for good (${error.name}): restart it`;
    warn({ warning: 'CONSUMER_STOPPED', message }, events);
  });
}

async function lookAt(
  topics: readonly string[],
  { admin, handleOnce, onFailed }: ResolvedOptions,
  events: EventSink<KafkaEvent>,
): Promise<void> {
  if (onFailed !== 'commit' && topics.includes(onFailed.deadLetterTopic)) {
    const message = `${onFailed.deadLetterTopic} is consumed too: a dead letter would fail and be produced again, for ever`;
    warn({ warning: 'DEAD_LETTER_TOPIC_CONSUMED', message }, events);
  }
  if (admin === undefined) return;
  for (const warning of await topicWarnings(admin, topics, handleOnce.settings)) warn(warning, events);
}
