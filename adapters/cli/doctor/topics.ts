import type { Finding } from '../../operations/index.ts';
import type { HandleOnceSettings } from '../../../src/index.ts';
import { type TopicConfigs, topicWarnings } from '../../shared/kafka/topic-retention.ts';
import type { Kafka } from '../config.ts';

/** The retention of topics, against that of the records. */
export async function topicFindings(
  kafka: Pick<Kafka, 'admin'>,
  topics: readonly string[],
  settings: HandleOnceSettings,
): Promise<Finding[]> {
  const warnings = await topicWarnings(configsOf(kafka), topics, settings);
  if (warnings.length === 0) {
    return [
      {
        check: 'topic-retention',
        level: 'ok',
        found: `records outlive the messages of ${topics.join(', ')}`,
      },
    ];
  }
  return warnings.map(({ message }) => ({ check: 'topic-retention', level: 'notice', found: message }));
}

function configsOf(kafka: Pick<Kafka, 'admin'>): TopicConfigs {
  return {
    async describeConfigs(query) {
      const admin = kafka.admin();
      try {
        await admin.connect();
        return await admin.describeConfigs(query);
      } finally {
        await admin.disconnect();
      }
    },
  };
}
