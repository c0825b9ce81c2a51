import type { KafkaHeaders, KafkaMessage } from './kafka-client.ts';

export interface DeadLetterFacts {
  readonly topic: string;
  readonly partition: number;
  readonly scope: string;
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
      'handle-once-topic': facts.topic,
      'handle-once-partition': String(facts.partition),
      'handle-once-offset': offset,
      'handle-once-scope': facts.scope,
      'handle-once-error': facts.errorText,
      'handle-once-attempts': String(facts.attempts),
    },
  };
}
