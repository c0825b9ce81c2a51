import { isError } from '../../../src/adapter-kit.ts';
import { InvalidOptionsError } from '../../../src/index.ts';
import { isNoSuchTopic } from '../../shared/kafka/is-no-such-topic.ts';
import type { DeadLetterAdmin } from './kafka-client.ts';

export type TopicExists = (topic: string) => Promise<boolean>;

/**
 * Whether a topic exists, asked once for each. A producer that was given one that does not exist fails for all topics
 * from then on, and may create it.
 */
export function createTopicCheck(admin: Pick<DeadLetterAdmin, 'fetchTopicMetadata'>): TopicExists {
  const known = new Map<string, Promise<boolean>>();
  return (topic) => {
    const exists = known.get(topic) ?? look(admin, topic);
    known.set(topic, exists);
    return exists;
  };
}

async function look(admin: Pick<DeadLetterAdmin, 'fetchTopicMetadata'>, topic: string): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] });
    return true;
  } catch (error) {
    if (isNoSuchTopic(error)) return false;
    throw error;
  }
}

/** Throws `InvalidOptionsError` where the topic of an option does not exist. */
export async function requireTopic(exists: TopicExists, field: string, topic: string): Promise<void> {
  if (await exists(topic)) return;
  const message = `names a topic that does not exist (${topic}): create it, or correct its name`;
  throw new InvalidOptionsError('redriveTopic', [{ field, message }]);
}

/** How topics refuse a message for what it is. Any other error would meet the next dead letter too. */
const REFUSALS = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

export function isRefusal(error: unknown): boolean {
  return isError(error) && 'type' in error && REFUSALS.has(String(error.type));
}
