import { coordinatesOf } from '../../shared/kafka/log-identity.ts';
import type { KafkaMessage, Place } from '../log/log-client.ts';

export type Running<T> = ReturnType<typeof createRunning<T>>;

/**
 * Messages whose handlers run in this process, by place and content.
 *
 * A handler can outlive its fetch: the group rebalances, or another partition is due. When its message is fetched again
 * before the handler ends, the second delivery waits for the first, and does not ask the store about ourselves. Another
 * message at the same place, of a topic that was made again, waits for nothing.
 */
export function createRunning<T>() {
  const running = new Map<string, { readonly message: KafkaMessage; readonly work: Promise<T> }>();
  /** Also those whose place another message has taken. */
  const works = new Set<Promise<T>>();

  /** What runs of a message already. */
  function known({ topic, partition }: Place, message: KafkaMessage): Promise<T> | undefined {
    const found = running.get(coordinatesOf(topic, partition, message.offset));
    return found !== undefined && isSame(found.message, message) ? found.work : undefined;
  }

  return {
    known,
    /** What runs of a message already, or else what `start` starts. */
    join(place: Place, message: KafkaMessage, start: () => Promise<T>): Promise<T> {
      const joined = known(place, message);
      if (joined !== undefined) return joined;
      const id = coordinatesOf(place.topic, place.partition, message.offset);
      const work = start().finally(() => {
        works.delete(work);
        if (running.get(id)?.work === work) running.delete(id);
      });
      works.add(work);
      running.set(id, { message, work });
      return work;
    },
    /** Resolves when everything that runs now has ended. */
    ended: (): Promise<unknown> => Promise.allSettled(works),
  };
}

function isSame(one: KafkaMessage, other: KafkaMessage): boolean {
  return (
    one.timestamp === other.timestamp &&
    isSameBytes(one.key, other.key) &&
    isSameBytes(one.value, other.value)
  );
}

function isSameBytes(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}
