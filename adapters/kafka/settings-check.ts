import type { Warning } from '../shared/warn.ts';
import type { HandleOnceSettings } from '../../src/index.ts';
import type { KafkaWarning } from './log/events.ts';
import type { ConsumerTimeouts } from './options/options.ts';

/** What kafkajs uses where the consumer's config does not say. Milliseconds. */
const DEFAULTS = { sessionTimeout: 30_000, heartbeatInterval: 3_000, maxWaitTimeInMs: 5_000 };

/** Timeouts of a consumer of kafkajs that contradict one another or the lease. */
export function timeoutWarnings(
  config: ConsumerTimeouts,
  settings: HandleOnceSettings,
): Warning<KafkaWarning>[] {
  const {
    sessionTimeout = DEFAULTS.sessionTimeout,
    heartbeatInterval = DEFAULTS.heartbeatInterval,
    maxWaitTimeInMs = DEFAULTS.maxWaitTimeInMs,
  } = config;
  const session = { name: 'sessionTimeout', ms: sessionTimeout };
  const heartbeat = { name: 'heartbeatInterval', ms: heartbeatInterval };
  const warnings = heartbeatWarnings(session, heartbeat);
  if (maxWaitTimeInMs + heartbeatInterval > sessionTimeout) {
    warnings.push({
      warning: 'MAX_WAIT_TOO_LONG',
      message:
        `maxWaitTimeInMs of ${maxWaitTimeInMs} ms leaves no room for a heartbeat within sessionTimeout ` +
        `(${sessionTimeout} ms): when every partition waits, the client sleeps that long between heartbeats. Lower it`,
    });
  }
  return [...warnings, ...leaseWarnings(session, settings)];
}

/** A time, as the settings of its client name it. */
export interface NamedTime {
  readonly name: string;
  readonly ms: number;
}

export function heartbeatWarnings(session: NamedTime, heartbeat: NamedTime): Warning<KafkaWarning>[] {
  if (heartbeat.ms * 2 <= session.ms) return [];
  const message =
    `${heartbeat.name} of ${heartbeat.ms} ms is more than half of ${session.name} (${session.ms} ms): ` +
    'one late heartbeat costs the consumer its partitions. Set it to a third';
  return [{ warning: 'HEARTBEAT_TOO_RARE', message }];
}

export function leaseWarnings(
  session: NamedTime,
  { leaseMs }: Pick<HandleOnceSettings, 'leaseMs'>,
): Warning<KafkaWarning>[] {
  if (leaseMs <= session.ms) return [];
  const message =
    `the lease of ${leaseMs} ms is longer than ${session.name} (${session.ms} ms): after a crash the next ` +
    `owner of the partition waits for the rest of the lease. Lower leaseMs, or raise ${session.name}`;
  return [{ warning: 'LEASE_OUTLIVES_SESSION', message }];
}

/** Refuses times that are none: they would be compared with others, and contradict none. */
export function* timeFaults(
  config: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Generator<[name: string, message: string]> {
  for (const name of names) {
    const given = config[name];
    if (given !== undefined && !(Number(given) > 0))
      yield [name, 'must be a number of milliseconds, above 0'];
  }
}

/** Settings without those that are undefined, which clients take for given. */
export function givenIn(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}
