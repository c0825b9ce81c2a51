import type { KafkaTopicPartitions } from '../../../../adapters/kafka/log/kafkajs-types.ts';

interface OfTopic {
  all: boolean;
  readonly paused: Set<number>;
  readonly resumed: Set<number>;
}

/**
 * Which partitions are paused, as kafkajs counts it: a pause of one ends that of its whole topic.
 *
 * `UserPauses` of the adapter follows the same rules, and shares nothing with this: it is what is tested here. A
 * mistake in code that both had would agree with itself.
 */
export class Subscription {
  readonly #topics = new Map<string, OfTopic>();

  isPaused(topic: string, partition: number): boolean {
    const of = this.#topics.get(topic);
    if (of === undefined) return false;
    return of.paused.has(partition) || (of.all && !of.resumed.has(partition));
  }

  pause({ topic, partitions }: KafkaTopicPartitions): void {
    const of = this.#of(topic);
    if (partitions === undefined) {
      this.#topics.set(topic, { all: true, paused: new Set(), resumed: new Set() });
      return;
    }
    of.all = false;
    for (const partition of partitions) {
      of.paused.add(partition);
      of.resumed.delete(partition);
    }
  }

  resume({ topic, partitions }: KafkaTopicPartitions): void {
    if (partitions === undefined) {
      this.#topics.delete(topic);
      return;
    }
    const of = this.#of(topic);
    for (const partition of partitions) {
      of.paused.delete(partition);
      if (of.all) of.resumed.add(partition);
    }
  }

  #of(topic: string): OfTopic {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const fresh = { all: false, paused: new Set<number>(), resumed: new Set<number>() };
    this.#topics.set(topic, fresh);
    return fresh;
  }
}
