import {
  type Clock,
  kernelOf,
  createAdapterEvents,
  createTrial,
  type EventSink,
  clockOf,
} from '../../src/adapter-kit.ts';
import { connectionWarning } from '../shared/connection-warning.ts';
import { warn, type Warning } from '../shared/warn.ts';
import type { Around } from '../../src/index.ts';
import { inGroup } from '../shared/kafka/log-identity.ts';
import { createToOriginal } from '../shared/kafka/retry-copy.ts';
import type { KafkaMessage, LogConsumer, LogListener } from './log/log-client.ts';
import type { KafkaEvent, KafkaWarning } from './log/events.ts';
import { createRunning } from './fetch/running.ts';
import { createKeyTrial } from './fetch/key-trial.ts';
import type { MessageVerdict } from './fetch/process-message.ts';
import type { Consumption } from './fetch/run-fetch.ts';
import { createSlots } from './fetch/slots.ts';
import { followGroup } from './follow-group.ts';
import { healthOf, type KafkaHealth, withMembership } from './health.ts';
import type { ConsumptionOptions } from './options/options.ts';
import { Assignments } from './partition/assignments.ts';
import { Pauses } from './partition/pauses.ts';
import { createWarnStuck } from './partition/stuck.ts';
import { createWarnMismatchedCopy } from './retry/mismatched-copies.ts';
import type { GroupAdmin } from './retry/retry-consumed.ts';
import { createRetryTopics, keyOfOriginals, type RetryTopics } from './retry/retry-topics.ts';
import { warnOfSettings } from './settings-warnings.ts';
import { watchStore } from '../shared/store-health.ts';

/** What a client gets with the listener that it reports to. */
export interface ConnectContext {
  readonly events: EventSink<KafkaEvent>;
  readonly pauses: Pauses;
  /** Of the option of `createHandleOnce`. */
  readonly around: Around['consumer'];
}

/** Makes of a client what the adapter commands. Called once. */
export type Connect<Client extends LogConsumer> = (listener: LogListener, context: ConnectContext) => Client;

export interface Connected<Client extends LogConsumer> extends Consumption {
  readonly client: Client;
  readonly health: () => KafkaHealth;
}

/**
 * All that one consumer is made of, whatever its client: the client hands its fetches to `runFetch` with it.
 * `findings` are of the client's own settings.
 */
export function createConsumption<Client extends LogConsumer>(
  options: ConsumptionOptions,
  connect: Connect<Client>,
  findings: readonly Warning<KafkaWarning>[] = [],
): Connected<Client> {
  const { concurrency, groupId } = options;
  const clock = clockOf(options.handleOnce);
  const handleOnce = inGroup(options.handleOnce, groupId);
  const events = createAdapterEvents(options);
  const retryTopics = retryTopicsOf(options, events, clock);
  const toOriginal = createToOriginal<KafkaMessage>(groupId, (topic) => retryTopics?.has(topic) === true);
  const trial = createTrial();
  const key = options.key && trial.wrap('key', options.key);
  const keyTrial = createKeyTrial(keyOfOriginals(key, toOriginal));
  const pauses = new Pauses(() => client, clock);
  const assignments = new Assignments(({ topic, partition }) => {
    pauses.forget({ topic, partition });
    events.emit({ type: 'partition-lost', topic, partition });
  }, clock);
  const { kernel: watched, store } = watchStore(handleOnce, kernelOf({ ...options, handleOnce }));
  const processor = {
    ...options,
    key,
    ...trial.fingerprint(options),
    kernel: watched,
    events,
    keyTrial,
    retryTopics,
    toOriginal,
    warnMismatchedCopy: createWarnMismatchedCopy(events),
    warnStuck: createWarnStuck(events, options.onFailed !== 'acknowledge'),
  };
  const consumption = {
    ...options,
    ...{ clock, processor, assignments, pauses, keyTrial, trial, retryTopics, events },
    slots: createSlots(concurrency),
    running: createRunning<MessageVerdict>(),
  };
  const { listener, membership } = withMembership(followGroup(options, consumption, () => client));
  const client = connect(listener, { events, pauses, around: handleOnce.settings.around?.consumer });
  warn(connectionWarning({ ...handleOnce.settings, ...options }), events);
  for (const finding of findings) warn(finding, events);
  warnOfSettings(options, events);
  const health = (): KafkaHealth =>
    healthOf(membership(), store.reach(), assignments.trackers(), [
      ...pauses.held(),
      ...(client.unreached?.() ?? []),
    ]);
  return { ...consumption, client, health };
}

function retryTopicsOf(
  { retry, admin, groupId }: ConsumptionOptions,
  events: EventSink<KafkaEvent>,
  clock: Clock,
): RetryTopics | undefined {
  if (retry === undefined) return undefined;
  // The options are refused without it.
  return createRetryTopics({ clock, retry, admin: admin as GroupAdmin, groupId, events });
}
