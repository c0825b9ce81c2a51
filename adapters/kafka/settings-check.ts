import type { Warning } from '../../src/adapter-kit.ts';
import type { HandleOnceSettings } from '../../src/index.ts';
import type { KafkaWarning } from './events.ts';
import type { ConfigEntry, KafkaAdmin } from './client/kafkajs-types.ts';
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

/** The type of a topic among what has settings. */
export const TOPIC_RESOURCE = 2;

/** Topics whose messages outlive the records that answer them, and those that cannot be read. */
export async function topicWarnings(
  admin: KafkaAdmin,
  topics: readonly string[],
  settings: HandleOnceSettings,
): Promise<Warning<KafkaWarning>[]> {
  const configNames = ['retention.ms', 'cleanup.policy'];
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: topics.map((name) => ({ type: TOPIC_RESOURCE, name, configNames })),
    });
    return resources.flatMap(({ resourceName, configEntries }) =>
      retentionWarnings(resourceName, configEntries, settings),
    );
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown error';
    const message = `the settings of ${topics.join(', ')} cannot be read (${name}): their retention was not checked. Allow DescribeConfigs on them`;
    return [{ warning: 'TOPIC_UNREADABLE', message }];
  }
}

function retentionWarnings(
  topic: string,
  config: readonly ConfigEntry[],
  settings: HandleOnceSettings,
): Warning<KafkaWarning>[] {
  const valueOf = (name: string) => config.find(({ configName }) => configName === name)?.configValue;
  const retentionMs = Number(valueOf('retention.ms'));
  const deletes = valueOf('cleanup.policy')?.split(',').includes('delete') === true;
  const keptMs = deletes && retentionMs >= 0 ? retentionMs : Infinity;
  const shortestMs = Math.min(settings.succeededRetentionMs, settings.failedRetentionMs);
  if (shortestMs >= keptMs) return [];
  const kept = keptMs === Infinity ? 'without end' : `for ${keptMs} ms`;
  const message =
    `${topic} keeps messages ${kept}, and records expire after ${shortestMs} ms: what is fetched again later, after ` +
    'a long stop or a reset of offsets, runs again. Raise succeededRetentionMs and failedRetentionMs';
  return [{ warning: 'RETENTION_TOO_SHORT', message }];
}
