import type { KafkaConsumer, KafkaTopicPartitions } from '../log/kafkajs-types.ts';
import type { Place } from '../log/log-client.ts';
import type { Pauses } from '../partition/pauses.ts';

type Consumer = Pick<KafkaConsumer, 'pause' | 'resume'>;

/** kafkajs keeps one pause for each partition. Here the adapter and its user do not end each other's. */
export class KafkaJsPauses {
  readonly #consumer: Consumer;
  readonly #pauses: Pauses;

  constructor(consumer: Consumer, pauses: Pauses) {
    this.#consumer = consumer;
    this.#pauses = pauses;
  }

  apply(place: Place): void {
    if (this.#pauses.user.has(place)) return;
    if (this.#pauses.isWaiting(place)) this.#pause(place);
    else this.#consumer.resume([{ topic: place.topic, partitions: [place.partition] }]);
  }

  callOfUser(verb: 'pause' | 'resume', topics: KafkaTopicPartitions[]): void {
    const { user } = this.#pauses;
    this.#consumer[verb](topics);
    for (const topic of topics) user[verb](topic);
    // A call for other partitions of a topic, or for all of them, can have lifted a pause of the adapter.
    for (const place of this.#pauses.waiting()) {
      if (!user.has(place) && topics.some(({ topic }) => topic === place.topic)) this.#pause(place);
    }
  }

  /**
   * kafkajs ends a pause of a whole topic when one of its partitions is paused. So the topic is paused again, and what
   * the user had resumed is resumed.
   */
  #pause({ topic, partition }: Place): void {
    const resumed = this.#pauses.user.resumedOf(topic);
    this.#consumer.pause([resumed === undefined ? { topic, partitions: [partition] } : { topic }]);
    const free = resumed?.filter((one) => !this.#pauses.isWaiting({ topic, partition: one })) ?? [];
    if (free.length > 0) this.#consumer.resume([{ topic, partitions: free }]);
  }
}
