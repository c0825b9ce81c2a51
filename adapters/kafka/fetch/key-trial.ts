import { keyFault, nameOfThrown } from '../../../src/adapter-kit.ts';
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

  /** What is wrong with its key of a message. The text of what it throws can quote the message. */
  function faultOf({ topic, partition }: Place, message: KafkaMessage): string | undefined {
    try {
      return keyFault(key?.(message, topic, partition));
    } catch (thrown) {
      return nameOfThrown(thrown);
    }
  }

  return {
    hasWorked: () => works,
    /** Tries the function on a fetch. Throws `KeyFunctionError` once 20 messages got no valid key, and none got one. */
    look(place: Place, messages: readonly KafkaMessage[]): void {
      for (const message of messages) {
        if (works) return;
        const fault = faultOf(place, message);
        works = fault === undefined;
        if (!works) failures.add(coordinatesOf(place.topic, place.partition, message.offset));
        if (fault !== undefined && failures.size >= MOST_FAILURES) throw brokenKey(place.topic, fault);
      }
    },
  };
}

function brokenKey(topic: string, fault: string): KeyFunctionError {
  return new KeyFunctionError(
    `key: the function found no key for any of the first ${MOST_FAILURES} messages, the last of ${topic} (${fault}), so ` +
      'it seems wrong; none of them was handled or dead-lettered. Correct the function and start the consumer again',
  );
}
