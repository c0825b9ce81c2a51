import type { Clock } from '../../../src/adapter-kit.ts';
import type { Place } from '../log/log-client.ts';
import { idOf } from '../log/place-id.ts';
import {
  errorsIn,
  type FetchRequest,
  type FetchResponse,
  type NativeConsumer,
  OUT_OF_RANGE,
  plainError,
  responseIn,
} from './native.ts';
import { Retries } from './retries.ts';
import type { Source } from './source.ts';
import { OLDEST, startsOf } from './starts.ts';

const UNKNOWN_EPOCH = -1;

/** The broker has forgotten earlier requests. The next fetch begins a new session. */
const SESSION_ERRORS = new Set([
  'FETCH_SESSION_ID_NOT_FOUND',
  'INVALID_FETCH_SESSION_EPOCH',
  'FETCH_SESSION_TOPIC_ID_ERROR',
]);

export interface FetchLoopOptions {
  readonly clock: Clock;
  readonly bytesOfPartition: number;
  /** Finds where partitions of one topic begin. */
  readonly beginningsOf: (sources: readonly Source[]) => Promise<readonly (readonly [Source, bigint])[]>;
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
  /** Topics of which beginnings are not known, topics that cannot be fetched, and brokers. */
  readonly #beginnings: Retries<string>;
  readonly #topics: Retries<string>;
  readonly #nodes: Retries<number>;
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor(consumer: NativeConsumer, options: FetchLoopOptions) {
    this.#options = options;
    this.#consumer = consumer;
    const onDue = (): void => {
      this.#wake();
    };
    this.#beginnings = new Retries(options.clock, onDue);
    this.#topics = new Retries(options.clock, onDue);
    this.#nodes = new Retries(options.clock, onDue);
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
    for (const retries of [this.#beginnings, this.#topics, this.#nodes]) retries.end();
    this.#wake();
  }

  assign(sources: readonly Source[]): void {
    this.clear();
    for (const source of sources) this.#sources.set(idOf(source.place), source);
    this.#wake();
  }

  /** No partition is this member's. */
  clear(): void {
    this.#sources.clear();
    this.#counts.clear();
    this.#beginnings.clear();
    this.#topics.clear();
  }

  /** Partitions that are not fetched: it is not known where they begin, or their topic cannot be read. */
  unreached(): Place[] {
    return [...this.#sources.values()]
      .filter(({ position, place }) => position === undefined || this.#topics.hasFailed(place.topic))
      .map(({ place }) => place);
  }

  of(place: Place): Source | undefined {
    return this.#sources.get(idOf(place));
  }

  /** A partition has room, or another position. */
  wake(): void {
    this.#wake();
  }

  async #round(): Promise<void> {
    const sources = [...this.#sources.values()];
    const open = sources.filter(({ position, isBeginning }) => position === undefined && !isBeginning);
    for (const [topic, ofTopic] of grouped(open, topicOf)) {
      if (!this.#beginnings.isWaiting(topic)) void this.#begin(topic, ofTopic);
    }
    const wanted = sources.filter(
      ({ position, isFull, place }) =>
        position !== undefined && !isFull && !this.#topics.isWaiting(place.topic),
    );
    const located = await Promise.all(
      [...grouped(wanted, topicOf)].map(([topic, ofTopic]) => this.#locate(topic, ofTopic)),
    );
    for (const [node, ofNode] of grouped(located.flat(), (one) => one.node)) {
      if (!this.#busy.has(node) && !this.#nodes.isWaiting(node)) void this.#fetch(node, ofNode);
    }
  }

  async #begin(topic: string, sources: readonly Source[]): Promise<void> {
    for (const source of sources) source.isBeginning = true;
    try {
      for (const [source, position] of await this.#options.beginningsOf(sources)) source.beginAt(position);
      this.#beginnings.succeeded(topic);
    } catch (error) {
      if (!sources.some((source) => this.of(source.place) === source)) return;
      this.#report(error);
      this.#beginnings.failed(topic);
    } finally {
      for (const source of sources) source.isBeginning = false;
      this.#wake();
    }
  }

  async #locate(topic: string, sources: readonly Source[]): Promise<Located[]> {
    try {
      const forceUpdate = this.#topics.hasFailed(topic);
      const { topics } = await this.#consumer.metadata({ topics: [topic], forceUpdate });
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
      this.#report(error);
      this.#topics.failed(topic);
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
      this.#take(await this.#consumer.fetch(this.#requestOf(node, located)), located);
      this.#nodes.succeeded(node);
    } catch (error) {
      await this.#recover(error, node, located);
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
  async #recover(error: unknown, node: number, located: readonly Located[]): Promise<void> {
    try {
      const response = responseIn(error);
      const isAnswered = response !== undefined && response.responses.length > 0;
      const gone = isAnswered ? this.#take(response, located) : [];
      if (isAnswered) this.#nodes.succeeded(node);
      else this.#nodes.failed(node);
      const starts = await startsOf(this.#consumer, gone, OLDEST);
      for (const [source, oldest] of starts) source.goOnAt(oldest);
      if (gone.length > 0 || [...errorsIn(error)].some(isOfSession)) return;
      this.#consumer.clearMetadata();
      this.#report(error);
    } catch (again) {
      this.#nodes.failed(node);
      this.#report(again);
    }
  }

  /** Returns the partitions whose position is not in the log. A topic with a refused partition waits, alone. */
  #take({ responses }: FetchResponse, located: readonly Located[]): Source[] {
    const gone: Source[] = [];
    const refused = new Set<string>();
    const requests = new Map(located.map((one) => [`${one.topicId}/${one.source.place.partition}`, one]));
    for (const { topicId, partitions } of responses) {
      for (const partition of partitions) {
        const request = requests.get(`${topicId}/${partition.partitionIndex}`);
        if (request === undefined) continue;
        if (partition.errorCode === 0) request.source.take(partition, request.from);
        else if (partition.errorCode === OUT_OF_RANGE) gone.push(request.source);
        else refused.add(request.source.place.topic);
      }
    }
    for (const topic of new Set(located.map(({ source }) => source.place.topic))) {
      if (refused.has(topic)) this.#topics.failed(topic);
      else this.#topics.succeeded(topic);
    }
    return gone;
  }

  #report(error: unknown): void {
    if (!this.#isOver) this.#options.onError(plainError(error));
  }
}

function topicOf({ place }: Source): string {
  return place.topic;
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
