import { EventEmitter } from 'node:events';
import type { ConfluentPackage } from '../../../../adapters/kafka/confluent/confluent-types.ts';
import type {
  ConfluentMessage,
  ConfluentPlace,
  RdKafkaError,
} from '../../../../adapters/kafka/confluent/native.ts';

interface Assigned {
  topic: string;
  partition: number;
  offset?: number;
}

type Done = (error: unknown) => void;
type Rebalance = (error: RdKafkaError, partitions: { topic: string; partition: number }[]) => void;

/** What consumers that are made from now on end with. */
export interface Faults {
  connect: unknown;
  subscribe?: Error;
  create?: Error | undefined;
}

export interface FakePackage {
  readonly faults: Faults;
  readonly client: ConfluentPackage;
  /** The consumers that were made, each with its settings. */
  readonly consumers: FakeNative[];
  /** Every call, such as `pause orders/0`. */
  readonly calls: string[];
  /** The consumer of the run. */
  native(): FakeNative;
}

/** The callback API without a broker: messages are pushed by hand, and rebalances too. */
class FakeNative extends EventEmitter {
  readonly config: Readonly<Record<string, unknown>>;
  readonly topicConfig: object;
  readonly #calls: string[];
  readonly #faults: Faults;
  readonly #queue: (ConfluentMessage | { eof: ConfluentPlace })[] = [];
  /** What the next calls end with, and commits are answered with; tests replace them. */
  does: { commit: unknown; seek: unknown[]; consume: unknown[]; committed: unknown[] } = {
    commit: null,
    seek: [],
    consume: [],
    committed: [],
  };
  /** No commit is answered before. */
  answering: Promise<unknown> = Promise.resolve();
  /** The partitions of which the group has committed something. */
  readonly offsets = new Set<number>();
  /** Of every partition. */
  oldest = 0;
  end = 1_000;

  constructor(config: Record<string, unknown>, topicConfig: object, calls: string[], faults: Faults) {
    super();
    this.#faults = faults;
    this.config = config;
    this.topicConfig = topicConfig;
    this.#calls = calls;
  }

  push(...messages: (Pick<ConfluentMessage, 'offset'> & Partial<ConfluentMessage>)[]): void {
    for (const one of messages) this.#queue.push({ topic: 'orders', partition: 0, value: null, ...one });
  }

  pushEnd(offset: number, partition = 0): void {
    this.#queue.push({ eof: { topic: 'orders', partition, offset } });
  }

  assignPartitions(...partitions: number[]): void {
    this.#rebalance(-175, partitions);
  }

  revoke(...partitions: number[]): void {
    this.#rebalance(-174, partitions);
  }

  connect(_: object, done: Done): void {
    this.#note('connect');
    setImmediate(done, this.#faults.connect);
  }

  disconnect(done: Done): void {
    this.#note('disconnect');
    setImmediate(done, null);
  }

  subscribe(topics: string[]): void {
    this.#note('subscribe', ...topics);
    if (this.#faults.subscribe !== undefined) throw this.#faults.subscribe;
  }

  unsubscribe(): void {
    this.#note('unsubscribe');
  }

  assign(partitions: Assigned[]): void {
    const places = partitions.map(
      ({ topic, partition, offset }) => `${topic}/${partition}@${offset ?? 'committed'}`,
    );
    this.#note('assign', ...places);
  }

  committed(
    partitions: Assigned[],
    _: number,
    done: (error: unknown, partitions?: Assigned[]) => void,
  ): void {
    const fault = this.does.committed.shift();
    const offsets = this.offsets;
    const known = partitions.map((place) => ({
      ...place,
      ...(offsets.has(place.partition) && { offset: 1 }),
    }));
    setImmediate(() => {
      if (fault === undefined) done(null, known);
      else done(fault);
    });
  }

  unassign(): void {
    this.#note('unassign');
  }

  pause([{ topic, partition }]: [ConfluentPlace]): void {
    this.#note('pause', `${topic}/${partition}`);
  }

  resume(partitions: ConfluentPlace[]): void {
    this.#note('resume', ...partitions.map(({ topic, partition }) => `${topic}/${partition}`));
  }

  /** Calls back before the broker has answered, as the client does. */
  commitCb([place]: [ConfluentPlace], done: Done): void {
    this.#note('commit', `${place.topic}/${place.partition}`, String(place.offset));
    setImmediate(done, null);
    setImmediate(() => {
      void this.answering.then(() => this.emit('offset.commit', this.does.commit, [place]));
    });
  }

  seek({ topic, partition, offset }: ConfluentPlace, _: number, done: Done): void {
    this.#note('seek', `${topic}/${partition}`, String(offset));
    setImmediate(done, this.does.seek.shift() ?? null);
  }

  getWatermarkOffsets(): { lowOffset: number; highOffset: number } {
    return { lowOffset: this.oldest, highOffset: this.end };
  }

  setDefaultConsumeTimeout(): void {
    // It never waits.
  }

  consume(count: number, done: (error: unknown, messages: readonly ConfluentMessage[]) => void): void {
    setTimeout(() => {
      const error = this.does.consume.shift();
      if (error !== undefined) {
        done(error, []);
        return;
      }
      const messages: ConfluentMessage[] = [];
      while (messages.length < count) {
        const next = this.#queue.shift();
        if (next === undefined) break;
        if ('eof' in next) {
          this.emit('partition.eof', next.eof);
          continue;
        }
        messages.push(next);
        this.emit('data', next);
      }
      done(null, messages);
    }, 1);
  }

  #rebalance(code: number, partitions: number[]): void {
    const callback = this.config['rebalance_cb'] as Rebalance;
    const error = Object.assign(new Error('rebalance'), { code });
    callback(
      error,
      partitions.map((partition) => ({ topic: 'orders', partition })),
    );
  }

  #note(...words: string[]): void {
    this.#calls.push(words.join(' '));
  }
}

export function fakePackage(): FakePackage {
  const consumers: FakeNative[] = [];
  const calls: string[] = [];
  const faults: Faults = { connect: null };
  class KafkaConsumer extends FakeNative {
    constructor(config: Record<string, unknown>, topicConfig: object) {
      super(config, topicConfig, calls, faults);
      if (faults.create !== undefined) throw faults.create;
      consumers.push(this);
    }
  }
  return {
    client: { KafkaConsumer } as unknown as ConfluentPackage,
    consumers,
    calls,
    faults,
    native() {
      const native = consumers.at(-1);
      if (native === undefined) throw new Error('the worker was not run');
      return native;
    },
  };
}
