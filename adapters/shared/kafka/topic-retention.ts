import { isError } from '../../../src/adapter-kit.ts';
import type { Warning } from '../warn.ts';
import type { HandleOnceSettings } from '../../../src/index.ts';

interface ConfigEntry {
  readonly configName: string;
  readonly configValue: string;
}

/** The part of an admin client that reads settings of topics. */
export interface TopicConfigs {
  /** Some settings of some topics, as text. */
  describeConfigs(query: {
    includeSynonyms: boolean;
    resources: { type: number; name: string; configNames: string[] }[];
  }): Promise<{
    readonly resources: readonly {
      readonly resourceName: string;
      readonly configEntries: readonly ConfigEntry[];
    }[];
  }>;
}

/** The type of a topic among what has settings. */
export const TOPIC_RESOURCE = 2;

type TopicWarning = Warning<'RETENTION_TOO_SHORT' | 'TOPIC_UNREADABLE'>;

/** Topics whose messages outlive the records that answer them, and topics that cannot be read. */
export async function topicWarnings(
  admin: TopicConfigs,
  topics: readonly string[],
  settings: HandleOnceSettings,
): Promise<TopicWarning[]> {
  try {
    return await outlivingTopics(admin, topics, settings);
  } catch (error) {
    return [unreadableTopics(topics, error)];
  }
}

/** Topics whose messages outlive the records that answer them. Throws what the client throws. */
export async function outlivingTopics(
  admin: TopicConfigs,
  topics: readonly string[],
  settings: HandleOnceSettings,
): Promise<TopicWarning[]> {
  const configNames = ['retention.ms', 'cleanup.policy'];
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: TOPIC_RESOURCE, name, configNames })),
  });
  return resources.flatMap(({ resourceName, configEntries }) =>
    retentionWarnings(resourceName, configEntries, settings),
  );
}

/** Errors of kafkajs where no broker answers. */
const UNREACHABLE = /^KafkaJS(?:NumberOfRetriesExceeded|Connection|RequestTimeout|BrokerNotFound|SASL)/;

export function unreadableTopics(topics: readonly string[], error: unknown): TopicWarning {
  const name = isError(error) ? error.name : 'unknown error';
  const fix = UNREACHABLE.test(name)
    ? 'Check that the brokers can be reached from here'
    : 'Allow DescribeConfigs on them';
  const message = `the settings of ${topics.join(', ')} cannot be read (${name}): their retention was not checked. ${fix}`;
  return { warning: 'TOPIC_UNREADABLE', message };
}

function retentionWarnings(
  topic: string,
  config: readonly ConfigEntry[],
  settings: HandleOnceSettings,
): TopicWarning[] {
  const valueOf = (name: string) => config.find(({ configName }) => configName === name)?.configValue;
  const retentionMs = Number(valueOf('retention.ms'));
  const deletes = valueOf('cleanup.policy')?.split(',').includes('delete') === true;
  const keptMs = deletes && retentionMs >= 0 ? retentionMs : Infinity;
  const shortestMs = Math.min(settings.succeededRetentionMs, settings.failedRetentionMs);
  if (shortestMs >= keptMs) return [];
  const kept = keptMs === Infinity ? 'without end' : `for ${keptMs} ms`;
  const message =
    `${topic} keeps messages ${kept}, but records expire after ${shortestMs} ms: a message that is fetched again ` +
    'later, after a long stop or a reset of offsets, runs again. Raise succeededRetentionMs and failedRetentionMs';
  return [{ warning: 'RETENTION_TOO_SHORT', message }];
}
