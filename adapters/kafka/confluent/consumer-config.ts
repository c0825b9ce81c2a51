import type * as z from 'zod';
import type { Warning } from '../../shared/warn.ts';
import type { HandleOnceSettings, OptionIssue } from '../../../src/index.ts';
import { errorOf } from '../log/error-of.ts';
import type { KafkaWarning } from '../log/events.ts';
import { timeFaults, givenIn, heartbeatWarnings, leaseWarnings } from '../settings-check.ts';

/** Settings of librdkafka by name, which its `CONFIGURATION.md` lists. A `ConsumerGlobalConfig` of the package fits. */
export type ConfluentConfig = object;

type Settings = Readonly<Record<string, unknown>>;

/** What librdkafka uses where the config does not say. Milliseconds. */
export const DEFAULTS = {
  'session.timeout.ms': 45_000,
  'heartbeat.interval.ms': 3_000,
  'max.poll.interval.ms': 300_000,
};

/** What decides over positions, and how it is asked for instead. */
const REFUSED: Readonly<Record<string, string>> = {
  kafkaJS: 'belongs to the promise API: pass settings of librdkafka, such as bootstrap.servers',
  'group.id': 'is set to the option groupId',
  'enable.auto.commit': 'is set to false: offsets are committed when their messages are settled',
  'enable.auto.offset.store': 'is set to false: offsets are committed when their messages are settled',
  'auto.offset.reset': 'is set by the option fromBeginning',
  'isolation.level': 'is always read_committed, the default: messages of aborted transactions are never read',
  'enable.partition.eof': 'is set to true: the end of a partition is committed too',
  offset_commit_cb: 'is set: a commit has ended when the broker has answered it',
  rebalance_cb: 'is set: partitions are given back when running handlers have ended',
};

/** Refuses settings that would change what is committed, or who has a partition. */
export function checkConfig(config: Settings, context: z.core.$RefinementCtx<Settings>): void {
  for (const [name, message] of faultsOf(config)) {
    context.addIssue({ code: 'custom', path: [name], message });
  }
}

function* faultsOf(config: Settings): Generator<[name: string, message: string]> {
  for (const [name, message] of Object.entries(REFUSED)) {
    if (config[name] !== undefined) yield [name, message];
  }
  if (brokersOf(config) === '') {
    yield ['bootstrap.servers', "must name brokers, such as 'localhost:9092', separated by commas"];
  }
  yield* timeFaults(config, Object.keys(DEFAULTS));
  if (textOf(config['partition.assignment.strategy']).includes('cooperative')) {
    yield [
      'partition.assignment.strategy',
      "must be 'range', 'roundrobin' or both: all partitions are given back together",
    ];
  }
  if (!['', 'classic'].includes(textOf(config['group.protocol']))) {
    yield ['group.protocol', "must be 'classic': all partitions are given back together"];
  }
}

/** Their addresses, by either name that librdkafka has for them. */
export function brokersOf(config: Settings): string {
  return textOf(config['bootstrap.servers'] ?? config['metadata.broker.list']);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/**
 * What the native consumer is made with. A position that is not in the log any more is reset to the oldest message: a
 * partition that begins at its end is told so when it is assigned.
 */
export function consumerConfigOf(
  config: Settings,
  groupId: string,
): [config: Settings, topicConfig: Settings] {
  return [
    {
      ...givenIn(config),
      'group.id': groupId,
      'enable.auto.commit': false,
      'enable.auto.offset.store': false,
      'enable.partition.eof': true,
      offset_commit_cb: true,
    },
    { 'auto.offset.reset': 'earliest' },
  ];
}

/**
 * The setting that librdkafka refuses, as a consumer is made. Undefined where the error is about something else.
 *
 * Its own text can quote the value, such as a password.
 */
export function refusedSetting(config: Settings, error: unknown): OptionIssue | undefined {
  const { message } = errorOf(error);
  const name = Object.keys(config).find((one) => message.includes(`"${one}"`));
  if (name === undefined) return undefined;
  const why = message.startsWith('No such configuration property')
    ? 'is not a setting of librdkafka; remove it or correct its spelling'
    : 'has a value that librdkafka refuses; its CONFIGURATION.md lists the valid values';
  return { field: `config.${name}`, message: why };
}

/** Timeouts of the consumer that contradict one another or the lease. */
export function configWarnings(config: Settings, settings: HandleOnceSettings): Warning<KafkaWarning>[] {
  const timeOf = (name: keyof typeof DEFAULTS) => ({ name, ms: Number(config[name] ?? DEFAULTS[name]) });
  const session = timeOf('session.timeout.ms');
  return [
    ...heartbeatWarnings(session, timeOf('heartbeat.interval.ms')),
    ...leaseWarnings(session, settings),
  ];
}
