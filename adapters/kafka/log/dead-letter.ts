import { createHash } from 'node:crypto';
import type { DeadLetterFacts } from '../../../src/adapter-kit.ts';
import type { KafkaProducer } from './kafkajs-types.ts';
import type { KafkaHeaders, Placed } from './log-client.ts';

/** What to do with a message that has failed permanently. */
export type KafkaOnFailed =
  | 'acknowledge'
  | {
      /** A topic that the consumer does not subscribe to, or its dead letters would be handled again. */
      readonly deadLetterTopic: string;
      /** A connected one. It sends to all replicas (`acks: -1`). */
      readonly producer: KafkaProducer;
    };

export interface DeadLetter {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: KafkaHeaders;
}

/** What a dead letter says of itself. */
export const DEAD_LETTER_HEADERS = [
  'handle-once-id',
  'handle-once-topic',
  'handle-once-partition',
  'handle-once-offset',
  'handle-once-timestamp',
  'handle-once-scope',
  'handle-once-key',
  'handle-once-error',
  'handle-once-attempts',
] as const;

export type DeadLetterHeader = (typeof DEAD_LETTER_HEADERS)[number];

/** The copy that goes to the dead-letter topic: the original key, value and headers, and why it is there. */
export function deadLetterOf(original: Placed, facts: DeadLetterFacts): DeadLetter {
  const { topic, partition, message } = original;
  const { key, value, headers, offset, timestamp } = message;
  return {
    key,
    value,
    headers: {
      ...headers,
      'handle-once-id': idOf(original, facts),
      'handle-once-topic': topic,
      'handle-once-partition': String(partition),
      'handle-once-offset': offset,
      'handle-once-timestamp': timestamp,
      'handle-once-scope': facts.scope,
      'handle-once-key': facts.key,
      'handle-once-error': facts.errorText,
      'handle-once-attempts': String(facts.attempts),
    } satisfies KafkaHeaders & Record<DeadLetterHeader, string>,
  };
}

/** The same for each copy of one message: a takeover between the copy and the commit makes a second. */
function idOf({ topic, partition, message }: Placed, { scope, key }: DeadLetterFacts): string {
  const parts = JSON.stringify([scope, key, topic, partition, message.offset]);
  return createHash('sha256').update(parts).digest('hex');
}
