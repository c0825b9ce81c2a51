import { createHash } from 'node:crypto';
import type { KafkaHeaders, KafkaMessage } from './log-client.ts';

export interface DeadLetterFacts {
  readonly topic: string;
  readonly partition: number;
  readonly scope: string;
  /** Empty where none was found. */
  readonly key: string;
  readonly errorText: string;
  readonly attempts: number;
}

export interface DeadLetter {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: KafkaHeaders;
}

/** The copy that goes to the dead-letter topic: the original key, value and headers, and why it is there. */
export function deadLetterOf(message: KafkaMessage, facts: DeadLetterFacts): DeadLetter {
  const { key, value, headers, offset } = message;
  return {
    key,
    value,
    headers: {
      ...headers,
      'handle-once-id': idOf(facts, offset),
      'handle-once-topic': facts.topic,
      'handle-once-partition': String(facts.partition),
      'handle-once-offset': offset,
      'handle-once-scope': facts.scope,
      'handle-once-error': facts.errorText,
      'handle-once-attempts': String(facts.attempts),
    },
  };
}

/** The same for each copy of one message: a takeover between the copy and the commit makes a second. */
function idOf({ scope, key, topic, partition }: DeadLetterFacts, offset: string): string {
  const parts = JSON.stringify([scope, key, topic, partition, offset]);
  return createHash('sha256').update(parts).digest('hex');
}
