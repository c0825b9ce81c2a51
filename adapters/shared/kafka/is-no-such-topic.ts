import { isError } from '../../../src/adapter-kit.ts';

/** Whether an admin client of kafkajs says that a topic does not exist. */
export function isNoSuchTopic(error: unknown): boolean {
  return isError(error) && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}
