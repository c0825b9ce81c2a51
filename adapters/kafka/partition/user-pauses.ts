import type { Place, TopicPartitions } from '../log/log-client.ts';

interface OfTopic {
  /** Whether the whole topic is paused, without the partitions that were resumed. */
  all: boolean;
  readonly paused: Set<number>;
  readonly resumed: Set<number>;
}

/** What a user has paused by calls of their own, as the client counts it. */
export class UserPauses {
  readonly #topics = new Map<string, OfTopic>();

  has({ topic, partition }: Place): boolean {
    const of = this.#topics.get(topic);
    if (of === undefined) return false;
    return of.paused.has(partition) || (of.all && !of.resumed.has(partition));
  }

  /** The partitions that were resumed of a topic that is paused as a whole; undefined where it is not. */
  resumedOf(topic: string): readonly number[] | undefined {
    const of = this.#topics.get(topic);
    return of?.all === true ? [...of.resumed] : undefined;
  }

  pause({ topic, partitions }: TopicPartitions): void {
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

  resume({ topic, partitions }: TopicPartitions): void {
    if (partitions === undefined) {
      this.#topics.delete(topic);
      return;
    }
    const of = this.#of(topic);
    for (const partition of partitions) {
      of.paused.delete(partition);
      of.resumed.add(partition);
    }
  }

  clear(): void {
    this.#topics.clear();
  }

  #of(topic: string): OfTopic {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const fresh = { all: false, paused: new Set<number>(), resumed: new Set<number>() };
    this.#topics.set(topic, fresh);
    return fresh;
  }
}
