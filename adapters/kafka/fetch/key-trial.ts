import { keyFault } from '../../../src/adapter-kit.ts';
import { type LogKey, coordinatesOf } from '../../shared/kafka/log-identity.ts';
import type { KafkaMessage, Place } from '../log/log-client.ts';
import { KeyFunctionError } from '../log/stop-errors.ts';

/** With a dead-letter topic a function that is plainly wrong would drain the whole topic into it. */
const MOST_FAILURES = 20;

export type KeyTrial = ReturnType<typeof createKeyTrial>;

/** Whether a key function works at all: only then a message that it throws for is the message's own fault. */
export function createKeyTrial(key: LogKey<KafkaMessage> | undefined) {
  const failures = new Set<string>();
  let works = key === undefined;

  function worksFor({ topic, partition }: Place, message: KafkaMessage): boolean {
    try {
      return keyFault(key?.(message, topic, partition)) === undefined;
    } catch {
      return false;
    }
  }

  return {
    hasWorked: () => works,
    /** Tries the function on a fetch. Throws `KeyFunctionError` once 20 messages got no valid key, and none got one. */
    look(place: Place, messages: readonly KafkaMessage[]): void {
      for (const message of messages) {
        if (works) return;
        works = worksFor(place, message);
        if (!works) failures.add(coordinatesOf(place.topic, place.partition, message.offset));
        if (failures.size >= MOST_FAILURES && !works) throw brokenKey(place.topic);
      }
    },
  };
}

function brokenKey(topic: string): KeyFunctionError {
  return new KeyFunctionError(
    `key: the function found no key for any of the first ${MOST_FAILURES} messages, the last of ${topic}, so it ` +
      'seems wrong; none of them was handled or dead-lettered. Correct the function and start the consumer again',
  );
}
