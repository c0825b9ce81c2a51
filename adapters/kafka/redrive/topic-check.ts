import { isError } from '../../../src/adapter-kit.ts';
import { InvalidOptionsError } from '../../../src/index.ts';
import { isNoSuchTopic } from '../../shared/kafka/is-no-such-topic.ts';
import { isDenied, notAllowed } from './denied.ts';
import type { DeadLetterAdmin } from './kafka-client.ts';

/** Whether a topic can be used: it may not exist, or the client may lack a right. */
type TopicState = 'usable' | 'missing' | 'denied';

export interface TopicCheck {
  look(topic: string): Promise<TopicState>;
  /** The topic has refused this client. */
  deny(topic: string): void;
}

/**
 * Asks once for each topic. A producer that was given one that does not exist, or that it may not describe, fails for
 * all topics from then on, and may create it.
 */
export function createTopicCheck(admin: Pick<DeadLetterAdmin, 'fetchTopicMetadata'>): TopicCheck {
  const known = new Map<string, Promise<TopicState>>();
  return {
    look(topic) {
      const state = known.get(topic) ?? look(admin, topic);
      known.set(topic, state);
      return state;
    },
    deny(topic) {
      known.set(topic, Promise.resolve('denied'));
    },
  };
}

async function look(admin: Pick<DeadLetterAdmin, 'fetchTopicMetadata'>, topic: string): Promise<TopicState> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] });
    return 'usable';
  } catch (error) {
    if (isNoSuchTopic(error)) return 'missing';
    if (isDenied(error, 'topic')) return 'denied';
    throw error;
  }
}

/** Throws `InvalidOptionsError` where the topic of an option does not exist, or the client may not use it. */
export async function requireTopic(check: TopicCheck, field: 'from' | 'to', topic: string): Promise<void> {
  const state = await check.look(topic);
  if (state === 'usable') return;
  if (state === 'denied') throw notAllowed(field, topic, field === 'from' ? 'Read' : 'Write', 'topic');
  const message = `names a topic that does not exist (${topic}): create it, or correct its name`;
  throw new InvalidOptionsError('redriveTopic', [{ field, message }]);
}

/** How topics refuse a message for what it is. Any other error would meet the next dead letter too. */
const REFUSALS = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

export function isRefusal(error: unknown): boolean {
  return isError(error) && 'type' in error && REFUSALS.has(String(error.type));
}
