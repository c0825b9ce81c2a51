import { createRequire } from 'node:module';
import type { TopicPartitions } from '../../../adapters/kafka/log/log-client.ts';

/** What kafkajs itself keeps of pauses: which calls lift which others is not written down anywhere else. */
export interface Subscription {
  pause(topics: readonly TopicPartitions[]): void;
  resume(topics: readonly TopicPartitions[]): void;
  isPaused(topic: string, partition: number): boolean;
}

const Constructor = createRequire(import.meta.url)(
  'kafkajs/src/consumer/subscriptionState',
) as new () => Subscription;

export function createSubscription(): Subscription {
  return new Constructor();
}
