import type { KafkaConsumer, KafkaTopicPartitions } from '../log/kafkajs-types.ts';
import type { PausedBy, Place } from '../log/log-client.ts';
import { idOf } from '../log/place-id.ts';
import { UserPauses } from './user-pauses.ts';

/**
 * kafkajs keeps one pause for each partition, no matter who made it. Here those of the adapter and of the user are kept
 * apart: neither ends the other.
 */
export class KafkaJsPauses {
  readonly #consumer: Pick<KafkaConsumer, 'pause' | 'resume'>;
  readonly #user = new UserPauses();
  /** Paused by the adapter. */
  readonly #own = new Map<string, Place>();

  constructor(consumer: Pick<KafkaConsumer, 'pause' | 'resume'>) {
    this.#consumer = consumer;
  }

  setPaused(place: Place, isPaused: boolean, by: PausedBy): void {
    const topics = [{ topic: place.topic, partitions: [place.partition] }];
    if (by === 'user') {
      this.callOfUser(isPaused ? 'pause' : 'resume', topics);
      return;
    }
    if (isPaused) this.#own.set(idOf(place), place);
    else this.#own.delete(idOf(place));
    if (this.#user.has(place)) return;
    if (isPaused) this.#pause(place);
    else this.#consumer.resume(topics);
  }

  callOfUser(verb: 'pause' | 'resume', topics: KafkaTopicPartitions[]): void {
    this.#consumer[verb](topics);
    for (const topic of topics) this.#user[verb](topic);
    // A call for other partitions of a topic, or for all of them, can have lifted a pause of the adapter.
    for (const place of this.#own.values()) {
      if (!this.#user.has(place) && topics.some(({ topic }) => topic === place.topic)) this.#pause(place);
    }
  }

  isPausedByUser(place: Place): boolean {
    return this.#user.has(place);
  }

  /** The consumer has stopped, and its pauses are gone with it. */
  clear(): void {
    this.#user.clear();
    this.#own.clear();
  }

  /**
   * kafkajs ends a pause of a whole topic when one of its partitions is paused. So the topic is paused again, and what
   * the user had resumed is resumed.
   */
  #pause({ topic, partition }: Place): void {
    const resumed = this.#user.resumedOf(topic);
    this.#consumer.pause([resumed === undefined ? { topic, partitions: [partition] } : { topic }]);
    const free = resumed?.filter((one) => !this.#own.has(idOf({ topic, partition: one }))) ?? [];
    if (free.length > 0) this.#consumer.resume([{ topic, partitions: free }]);
  }
}
