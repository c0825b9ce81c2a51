import { type Clock, sleep } from '../../../src/adapter-kit.ts';
import type { Place } from '../client/log-client.ts';
import { idOf } from '../partition/place-id.ts';
import {
  errorsIn,
  type FetchRequest,
  type FetchResponse,
  type NativeConsumer,
  OUT_OF_RANGE,
  plainError,
  responseIn,
} from './native.ts';
import type { Source } from './source.ts';
import { OLDEST, startsOf } from './starts.ts';

const AGAIN_AFTER_MS = 200;
const UNKNOWN_EPOCH = -1;

/** A broker forgets what it was asked for before, after an error too. The next fetch begins a new session. */
const SESSION_ERRORS = new Set([
  'FETCH_SESSION_ID_NOT_FOUND',
  'INVALID_FETCH_SESSION_EPOCH',
  'FETCH_SESSION_TOPIC_ID_ERROR',
]);

export interface FetchLoopOptions {
  readonly clock: Clock;
  readonly bytesOfPartition: number;
  /** A topic has got partitions. */
  readonly onGrown: () => void;
  /** Reports what is tried again. */
  readonly onError: (error: unknown) => void;
}

/** A partition, and whom to ask from where. */
interface Located {
  readonly source: Source;
  readonly node: number;
  readonly topicId: string;
  readonly from: bigint;
}

/**
 * Fetches the partitions that have room, of each broker with one request at a time: so that each is fetched on while
 * others wait, which a stream of the client cannot.
 */
export class FetchLoop {
  readonly #options: FetchLoopOptions;
  readonly #consumer: NativeConsumer;
  readonly #sources = new Map<string, Source>();
  /** How many partitions each topic had when it was first seen. */
  readonly #counts = new Map<string, number>();
  readonly #busy = new Set<number>();
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor(consumer: NativeConsumer, options: FetchLoopOptions) {
    this.#options = options;
    this.#consumer = consumer;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#round();
      await woken;
    }
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  assign(sources: readonly Source[]): void {
    this.clear();
    for (const source of sources) this.#sources.set(idOf(source.place), source);
  }

  /** No partition is this member's. */
  clear(): void {
    this.#sources.clear();
    this.#counts.clear();
  }

  of(place: Place): Source | undefined {
    return this.#sources.get(idOf(place));
  }

  /** A partition has room, or another position. */
  wake(): void {
    this.#wake();
  }

  async #round(): Promise<void> {
    const wanted = [...this.#sources.values()].filter(
      ({ position, isHeld }) => position !== undefined && !isHeld,
    );
    const topics = grouped(wanted, ({ place }) => place.topic);
    const located = await Promise.all([...topics].map(([topic, sources]) => this.#locate(topic, sources)));
    for (const [node, ofNode] of grouped(located.flat(), (one) => one.node)) {
      if (!this.#busy.has(node)) void this.#fetch(node, ofNode);
    }
  }

  async #locate(topic: string, sources: readonly Source[]): Promise<Located[]> {
    try {
      const { topics } = await this.#consumer.metadata({ topics: [topic] });
      const found = topics.get(topic);
      if (found === undefined) throw new Error(`the brokers do not know the topic ${topic}`);
      this.#count(topic, found.partitions.length);
      await this.#startAgain(
        found.id,
        sources.filter((source) => !source.isOf(found.id)),
      );
      return sources.map((source) => {
        const { topic: name, partition } = source.place;
        const node = found.partitions[partition]?.leader ?? -1;
        const from = source.position;
        if (node < 0 || from === undefined)
          throw new Error(`partition ${partition} of ${name} has no leader`);
        return { source, node, topicId: found.id, from };
      });
    } catch (error) {
      this.#tell(error);
      void this.#wakeLater();
      return [];
    }
  }

  #count(topic: string, count: number): void {
    const before = this.#counts.get(topic);
    this.#counts.set(topic, count);
    if (before !== undefined && before !== count) this.#options.onGrown();
  }

  async #startAgain(topicId: string, sources: readonly Source[]): Promise<void> {
    const starts = await startsOf(this.#consumer, sources, OLDEST);
    for (const [source, position] of starts) source.startAgain(topicId, position);
  }

  async #fetch(node: number, located: readonly Located[]): Promise<void> {
    this.#busy.add(node);
    try {
      take(await this.#consumer.fetch(this.#requestOf(node, located)), located);
    } catch (error) {
      await this.#recover(error, located);
      await sleep(this.#options.clock, AGAIN_AFTER_MS);
    } finally {
      this.#busy.delete(node);
      this.#wake();
    }
  }

  #requestOf(node: number, located: readonly Located[]): FetchRequest {
    const partitionMaxBytes = this.#options.bytesOfPartition;
    const epochs = { currentLeaderEpoch: UNKNOWN_EPOCH, lastFetchedEpoch: UNKNOWN_EPOCH };
    const topics = [...grouped(located, ({ topicId }) => topicId)].map(([topicId, ofTopic]) => ({
      topicId,
      partitions: ofTopic.map(({ source, from }) => ({
        partition: source.place.partition,
        fetchOffset: from,
        partitionMaxBytes,
        ...epochs,
      })),
    }));
    return { node, topics };
  }

  /** One partition that is refused makes an error of the answer, which has the others. */
  async #recover(error: unknown, located: readonly Located[]): Promise<void> {
    try {
      const response = responseIn(error);
      const gone = response === undefined ? [] : take(response, located);
      const starts = await startsOf(this.#consumer, gone, OLDEST);
      for (const [source, oldest] of starts) source.goOnAt(oldest);
      if (gone.length > 0 || [...errorsIn(error)].some(isOfSession)) return;
      this.#consumer.clearMetadata();
      this.#tell(error);
    } catch (again) {
      this.#tell(again);
    }
  }

  #tell(error: unknown): void {
    if (!this.#isOver) this.#options.onError(plainError(error));
  }

  async #wakeLater(): Promise<void> {
    this.#consumer.clearMetadata();
    await sleep(this.#options.clock, AGAIN_AFTER_MS);
    this.#wake();
  }
}

/** Returns the partitions whose position is not in the log. */
function take({ responses }: FetchResponse, located: readonly Located[]): Source[] {
  const gone: Source[] = [];
  const askedAt = new Map(located.map((one) => [`${one.topicId}/${one.source.place.partition}`, one]));
  for (const { topicId, partitions } of responses) {
    for (const partition of partitions) {
      const asked = askedAt.get(`${topicId}/${partition.partitionIndex}`);
      if (asked === undefined) continue;
      if (partition.errorCode === 0) asked.source.take(partition, asked.from);
      else if (partition.errorCode === OUT_OF_RANGE) gone.push(asked.source);
    }
  }
  return gone;
}

function isOfSession(error: Error): boolean {
  return 'apiId' in error && SESSION_ERRORS.has(String(error.apiId));
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    groups.set(keyOf(item), group);
    group.push(item);
  }
  return groups;
}
