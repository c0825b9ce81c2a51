import type { Warning } from '../../src/adapter-kit.ts';
import type { HandleOnceSettings } from '../../src/index.ts';
import type { KafkaWarning } from './events.ts';
import type { ConsumerTimeouts } from './options.ts';

/** What kafkajs uses where the consumer's config does not say. Milliseconds. */
const DEFAULTS = { sessionTimeout: 30_000, heartbeatInterval: 3_000, maxWaitTimeInMs: 5_000 };

/** Timeouts of the consumer that contradict one another or the lease. */
export function timeoutWarnings(
  config: ConsumerTimeouts,
  { leaseMs }: HandleOnceSettings,
): Warning<KafkaWarning>[] {
  const {
    sessionTimeout = DEFAULTS.sessionTimeout,
    heartbeatInterval = DEFAULTS.heartbeatInterval,
    maxWaitTimeInMs = DEFAULTS.maxWaitTimeInMs,
  } = config;
  const warnings: Warning<KafkaWarning>[] = [];
  if (heartbeatInterval * 2 > sessionTimeout) {
    warnings.push({
      warning: 'HEARTBEAT_TOO_RARE',
      message:
        `heartbeatInterval of ${heartbeatInterval} ms is more than half of sessionTimeout (${sessionTimeout} ms): ` +
        'one late heartbeat costs the consumer its partitions. Make it a third',
    });
  }
  if (maxWaitTimeInMs + heartbeatInterval > sessionTimeout) {
    warnings.push({
      warning: 'MAX_WAIT_TOO_LONG',
      message:
        `maxWaitTimeInMs of ${maxWaitTimeInMs} ms leaves no room for a heartbeat within sessionTimeout ` +
        `(${sessionTimeout} ms): when every partition waits, the client sleeps that long between heartbeats. Lower it`,
    });
  }
  if (leaseMs > sessionTimeout) {
    warnings.push({
      warning: 'LEASE_OUTLIVES_SESSION',
      message:
        `the lease of ${leaseMs} ms is longer than sessionTimeout (${sessionTimeout} ms): after a crash the next ` +
        'owner of the partition waits for the rest of the lease. Lower leaseMs, or raise sessionTimeout',
    });
  }
  return warnings;
}
