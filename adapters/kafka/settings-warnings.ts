import { type EventSink, isError } from '../../src/adapter-kit.ts';
import { warn } from '../shared/warn.ts';
import { HandleOnceError } from '../../src/index.ts';
import { topicWarnings } from '../shared/kafka/topic-retention.ts';
import type { KafkaEvent } from './log/events.ts';
import type { ConsumptionOptions } from './options/options.ts';
import { readsConfigs } from './log/log-admin.ts';

/** Warns of options that leave open what can be lost. */
export function warnOfSettings(
  { admin, fromBeginning }: ConsumptionOptions,
  events: EventSink<KafkaEvent>,
): void {
  if (fromBeginning === true || (admin !== undefined && fromBeginning === false)) return;
  const cure = fromBeginning === undefined ? CHOOSE_START : GIVE_ADMIN;
  warn({ warning: 'START_NOT_COMMITTED', message: `${START_UNKNOWN}: ${cure}` }, events);
}

const START_UNKNOWN =
  'a partition without a committed offset can lose messages that are produced while this consumer restarts';
const CHOOSE_START =
  'set the option fromBeginning: true if you subscribe so, or fromBeginning: false and admin';
const GIVE_ADMIN = 'pass admin, or fromBeginning: true if the group may begin with the oldest message';

/** Warns of topics that do not fit the options, once they are known. */
export async function warnOfTopics(
  topics: readonly string[],
  { admin, handleOnce, onFailed }: ConsumptionOptions,
  events: EventSink<KafkaEvent>,
): Promise<void> {
  if (onFailed !== 'acknowledge' && topics.includes(onFailed.deadLetterTopic)) {
    const message =
      `${onFailed.deadLetterTopic} is consumed too: each dead letter fails again and is produced ` +
      'again, endlessly. Do not subscribe to it, or give another deadLetterTopic';
    warn({ warning: 'DEAD_LETTER_TOPIC_CONSUMED', message }, events);
  }
  if (admin === undefined || !readsConfigs(admin)) return;
  for (const warning of await topicWarnings(admin, topics, handleOnce.settings)) warn(warning, events);
}

/** Warns that the client has given up. */
export function warnStopped(groupId: string, error: Error, events: EventSink<KafkaEvent>): void {
  const ours = [error, error.cause].find((one) => one instanceof HandleOnceError);
  const why = ours === undefined ? theirs(error) : `(${ours.name}). ${ours.message}`;
  const message = `the consumer of group ${groupId} has stopped permanently ${why}`;
  warn({ warning: 'CONSUMER_STOPPED', message }, events);
}

/** The message is shown where it is that of the brokers: another could quote a payload. */
function theirs(error: Error): string {
  const ofBrokers = [error, error.cause].find((one) => isError(one) && 'type' in one);
  if (!isError(ofBrokers)) return `(${error.name}): restart it`;
  const isDenied = /not authorized/i.test(ofBrokers.message);
  return `(${ofBrokers.name}: ${ofBrokers.message}): ${isDenied ? 'grant that right to this client, then ' : ''}restart it`;
}
