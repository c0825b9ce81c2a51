import type { Finding } from '../../operations/index.ts';
import type { HandleOnceSettings } from '../../../src/index.ts';
import { isNoSuchTopic } from '../../shared/kafka/is-no-such-topic.ts';
import { outlivingTopics, type TopicConfigs, unreadableTopics } from '../../shared/kafka/topic-retention.ts';
import type { Kafka } from '../config.ts';

/** The retention of topics, against that of the records. */
export async function topicFindings(
  kafka: Pick<Kafka, 'admin'>,
  topics: readonly string[],
  settings: HandleOnceSettings,
): Promise<Finding[]> {
  const findings = await findingsOf(configsOf(kafka), topics, settings);
  if (findings.length > 0) return findings;
  return [
    {
      check: 'topic-retention',
      level: 'ok',
      found: `records outlive the messages of ${topics.join(', ')}`,
    },
  ];
}

async function findingsOf(
  admin: TopicConfigs,
  topics: readonly string[],
  settings: HandleOnceSettings,
): Promise<Finding[]> {
  try {
    return (await outlivingTopics(admin, topics, settings)).map(({ message }) => notice(message));
  } catch (error) {
    if (!isNoSuchTopic(error)) return [notice(unreadableTopics(topics, error).message)];
    const [topic = '', ...others] = topics;
    if (others.length === 0) return [missing(topic)];
    // The error does not say which one.
    const findings: Finding[] = [];
    for (const one of topics) findings.push(...(await findingsOf(admin, [one], settings)));
    return findings;
  }
}

function missing(topic: string): Finding {
  const found = `the topic ${topic} does not exist`;
  return { check: 'topic-retention', level: 'problem', found, fix: `create ${topic}, or correct its name` };
}

function notice(found: string): Finding {
  return { check: 'topic-retention', level: 'notice', found };
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
