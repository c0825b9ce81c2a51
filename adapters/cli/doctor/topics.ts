import type { Finding } from '../../../src/operations.ts';
import type { HandleOnceSettings } from '../../../src/index.ts';
import { type TopicConfigs, topicWarnings } from '../../shared/kafka/topic-retention.ts';

/** The retention of topics, against that of the records. */
export async function topicFindings(
  admin: TopicConfigs,
  topics: readonly string[],
  settings: HandleOnceSettings,
): Promise<Finding[]> {
  const warnings = await topicWarnings(admin, topics, settings);
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
