import { EventEmitter } from 'node:events';
import type { Place } from '../../../../adapters/kafka/log/log-client.ts';
import type { PlatformaticPackage } from '../../../../adapters/kafka/platformatic/platformatic-types.ts';
import type {
  FetchRequest,
  FetchResponse,
  NativeBatch,
  NativePartition,
  NativeRecord,
  NativeTopic,
} from '../../../../adapters/kafka/platformatic/native.ts';

/** The end of a log, and what is in it. */
interface Log {
  oldest: bigint;
  end: bigint;
  readonly batches: NativeBatch[];
}

/** Brokers with the topic `orders` and any others, as the consumers of a package see them. */
export interface FakeBroker {
  topicId: string;
  partitions: number;
  /** Topics that there are not. */
  readonly missing: Set<string>;
  /** Partitions that no broker leads. Of the others each second one is of the same broker. */
  readonly leaderless: Set<number>;
  /** What they refuse the next partitions with that are fetched. */
  readonly refused: number[];
  /** Brokers that are asked for messages now. */
  readonly busy: Set<number>;
  /** What the group has committed of `orders`, by partition. */
  readonly committed: Map<number, bigint>;
  /** What the next calls end with, by name. */
  readonly faults: Partial<Record<'metadata' | 'fetch' | 'commit' | 'joinGroup' | 'listOffsets', unknown[]>>;
  /** Every call, such as `commit 0 5`. */
  readonly calls: string[];
  /** Offsets that fetches have asked for, such as `0@5`. */
  readonly fetched: string[];
  log(partition: number, topic?: string): Log;
  push(...records: { offset: number; partition?: number; topic?: string; value?: Buffer | null }[]): void;
}

export interface FakePackage extends FakeBroker {
  readonly client: PlatformaticPackage;
  readonly consumers: FakeConsumer[];
  /** The group gives out these partitions. */
  assign(...partitions: number[]): void;
  /** The group gives out all partitions of these topics. */
  assignTopics(...topics: string[]): void;
  /** The group meets: resolves when the member gives its partitions back. */
  rebalance(): Promise<void>;
  /** The consumer that is the member of the group. */
  member(): FakeConsumer;
  /** The client gives its membership up. */
  lose(error: unknown): void;
}

type Options = Readonly<Record<string, unknown>>;

export class FakeConsumer extends EventEmitter {
  readonly options: Options;
  /** Of which it reads with each call of the group. */
  readonly tracked = new Set<string>();
  readonly topics = {
    track: (topic: string) => this.tracked.add(topic).has(topic),
    untrack: (topic: string) => this.tracked.delete(topic),
  };
  readonly connections = { close: () => Promise.resolve() };
  memberId: string | null = null;
  readonly #broker: FakeBroker;
  #isClosed = false;

  constructor(options: Options, broker: FakeBroker) {
    super();
    this.options = options;
    this.#broker = broker;
  }

  /** Called before each join. */
  async beforeJoin(): Promise<void> {
    this.#read(this.tracked);
    await (this.options['protocolsMetadata'] as () => Promise<Buffer>)();
  }

  async joinGroup(): Promise<void> {
    await this.beforeJoin();
    this.#read(this.tracked);
    this.#broker.calls.push(['join', ...this.tracked].join(' '));
    this.#fail('joinGroup');
    this.memberId = 'member';
  }

  leaveGroup(): Promise<void> {
    this.#broker.calls.push('leave');
    this.memberId = null;
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#broker.calls.push('close');
    return Promise.resolve();
  }

  clearMetadata(): void {
    this.#broker.calls.push('clearMetadata');
  }

  async metadata({ topics }: { topics: string[] }) {
    await turn();
    this.#broker.calls.push(['metadata', ...topics].join(' '));
    this.#fail('metadata');
    this.#read(topics);
    const partitions = Array.from({ length: this.#broker.partitions }, (_, n) => ({
      leader: this.#leaderOf(n),
    }));
    return { topics: new Map(topics.map((topic) => [topic, { id: this.#idOf(topic), partitions }])) };
  }

  async listCommittedOffsets({ topics }: { topics: NativeTopic[] }) {
    await turn();
    this.#read(this.tracked);
    const { committed, partitions } = this.#broker;
    const offsetsOf = (topic: string) =>
      Array.from({ length: partitions }, (_, partition) =>
        topic === 'orders' ? (committed.get(partition) ?? -1n) : -1n,
      );
    return new Map(topics.map(({ topic }) => [topic, offsetsOf(topic)]));
  }

  async listOffsets({ topics, timestamp }: { topics: string[]; timestamp: bigint }) {
    await turn();
    this.#fail('listOffsets');
    this.#read(topics);
    const offsetsOf = (topic: string) =>
      Array.from({ length: this.#broker.partitions }, (_, partition) => {
        const { oldest, end } = this.#broker.log(partition, topic);
        return timestamp === -2n ? oldest : end;
      });
    return new Map(topics.map((topic) => [topic, offsetsOf(topic)]));
  }

  async commit({ offsets }: { offsets: (Place & { offset: bigint })[] }): Promise<void> {
    for (const { partition, offset } of offsets)
      this.#broker.calls.push(`commit ${partition} ${String(offset)}`);
    await turn();
    this.#read(this.tracked);
    this.#fail('commit');
    for (const { topic, partition, offset } of offsets)
      if (topic === 'orders') this.#broker.committed.set(partition, offset);
  }

  async fetch({ node, topics }: FetchRequest): Promise<FetchResponse> {
    const asked = topics.flatMap(({ topicId, partitions }) => partitions.map((one) => ({ topicId, ...one })));
    for (const { partition, fetchOffset } of asked)
      this.#broker.fetched.push(`${partition}@${String(fetchOffset)}`);
    if (this.#broker.busy.has(node)) throw new Error('a broker is asked twice at once');
    this.#broker.busy.add(node);
    await turn();
    this.#broker.busy.delete(node);
    if (this.#isClosed) throw new Error('Client is closed.');
    this.#fail('fetch');
    const responses = topics.map(({ topicId, partitions: ofTopic }) => ({
      topicId,
      partitions: ofTopic.map((one) => {
        const errorCode = this.#leaderOf(one.partition) === node ? this.#broker.refused.shift() : NOT_LEADER;
        return errorCode === undefined
          ? this.#fetchOf(topicId, one.partition, one.fetchOffset)
          : { partitionIndex: one.partition, errorCode, highWatermark: -1n };
      }),
    }));
    const response = { responses };
    if (responses.every(({ partitions }) => partitions.every(({ errorCode }) => errorCode === 0)))
      return response;
    throw Object.assign(new AggregateError([], 'refused'), { response });
  }

  #idOf(topic: string): string {
    return topic === 'orders' ? this.#broker.topicId : `${ID}${topic}`;
  }

  #leaderOf(partition: number): number {
    return this.#broker.leaderless.has(partition) ? -1 : partition % 2;
  }

  /** Fails where one of these topics is missing. */
  #read(topics: Iterable<string>): void {
    const missing = [...topics].find((topic) => this.#broker.missing.has(topic));
    if (missing !== undefined) throw new Error(`Unknown topic ${missing}.`);
  }

  #fetchOf(topicId: string, partitionIndex: number, from: bigint): NativePartition {
    const topic = topicId === this.#broker.topicId ? 'orders' : topicId.replace(ID, '');
    if (topic === topicId || this.#broker.missing.has(topic))
      return { partitionIndex, errorCode: 100, highWatermark: -1n };
    const { oldest, end, batches } = this.#broker.log(partitionIndex, topic);
    if (from < oldest || from > end) return { partitionIndex, errorCode: 1, highWatermark: -1n };
    const records = batches.filter(
      ({ firstOffset, lastOffsetDelta }) => firstOffset + BigInt(lastOffsetDelta) >= from,
    );
    return { partitionIndex, errorCode: 0, highWatermark: end, records };
  }

  #fail(name: keyof FakeBroker['faults']): void {
    const fault = this.#broker.faults[name]?.shift();
    if (fault !== undefined) throw fault as Error;
  }
}

const ID = 'id of ';
export const NOT_LEADER = 6;

/** A call of a broker takes a moment. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 2);
  });
}

export function batchOf(firstOffset: number, more: Partial<NativeBatch> = {}): NativeBatch {
  const record: NativeRecord = {
    attributes: 0,
    timestampDelta: 0n,
    offsetDelta: 0,
    key: null,
    value: Buffer.from(String(firstOffset)),
    headers: [],
  };
  return {
    firstOffset: BigInt(firstOffset),
    lastOffsetDelta: 0,
    attributes: 0,
    firstTimestamp: 5n,
    maxTimestamp: 5n,
    producerId: -1n,
    records: [record],
    ...more,
  };
}

/** As Node 22 has it, without which the package cannot be used. */
const ofNode22 = {
  withResolvers() {
    const made: Record<string, unknown> = {};
    const promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
    return { promise, ...made };
  },
};

export function fakePackage(): FakePackage {
  if (!('withResolvers' in Promise)) Object.assign(Promise, ofNode22);
  const consumers: FakeConsumer[] = [];
  const logs = new Map<string, Log>();
  const broker: FakeBroker = {
    topicId: 'first',
    partitions: 2,
    missing: new Set(),
    leaderless: new Set(),
    refused: [],
    busy: new Set(),
    committed: new Map(),
    faults: {},
    calls: [],
    fetched: [],
    log(partition, topic = 'orders') {
      const id = `${topic}/${partition}`;
      const log = logs.get(id) ?? { oldest: 0n, end: 0n, batches: [] };
      logs.set(id, log);
      return log;
    },
    push(...records) {
      for (const { offset, partition = 0, topic } of records) {
        const log = broker.log(partition, topic);
        log.batches.push(batchOf(offset));
        log.end = BigInt(offset) + 1n;
      }
    },
  };
  class Consumer extends FakeConsumer {
    constructor(options: Options) {
      super(options, broker);
      consumers.push(this);
    }
  }
  const member = (): FakeConsumer => {
    const found = consumers.findLast(({ options }) => 'protocolsMetadata' in options);
    if (found === undefined) throw new Error('the worker was not run');
    return found;
  };
  return Object.assign(broker, {
    client: { Consumer },
    consumers,
    member,
    assign(...partitions: number[]) {
      member().emit('consumer:group:join', { assignments: [{ topic: 'orders', partitions }] });
    },
    assignTopics(...topics: string[]) {
      const partitions = Array.from({ length: broker.partitions }, (_, partition) => partition);
      member().emit('consumer:group:join', {
        assignments: topics.map((topic) => ({ topic, partitions })),
      });
    },
    rebalance: () => member().beforeJoin(),
    lose(error: unknown) {
      member().emit('error', error);
    },
  });
}
