import { EventEmitter } from 'node:events';
import type { PlatformaticPackage } from 'handle-once/kafka-platformatic';
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

/** One broker with the topic `orders`, as the consumers of a package see it. */
export interface FakeBroker {
  topicId: string;
  partitions: number;
  /** What the group has committed, by partition. */
  readonly committed: Map<number, bigint>;
  /** What the next calls end with, by name. */
  readonly faults: Partial<Record<'metadata' | 'fetch' | 'commit' | 'joinGroup' | 'listOffsets', unknown[]>>;
  /** Every call, such as `commit 0 5`. */
  readonly calls: string[];
  /** Offsets that fetches have asked for, such as `0@5`. */
  readonly fetched: string[];
  log(partition: number): Log;
  push(...records: { offset: number; partition?: number; value?: Buffer | null }[]): void;
}

export interface FakePackage extends FakeBroker {
  readonly client: PlatformaticPackage;
  readonly consumers: FakeConsumer[];
  /** The group gives out these partitions. */
  assign(...partitions: number[]): void;
  /** The group meets: resolves when the member gives its partitions back. */
  rebalance(): Promise<void>;
  /** The client gives its membership up. */
  lose(error: unknown): void;
}

type Options = Readonly<Record<string, unknown>>;

export class FakeConsumer extends EventEmitter {
  readonly options: Options;
  readonly topics: { track: (topic: string) => boolean };
  readonly connections = { close: () => Promise.resolve() };
  memberId: string | null = null;
  readonly #broker: FakeBroker;
  #isClosed = false;

  constructor(options: Options, broker: FakeBroker) {
    super();
    this.options = options;
    this.#broker = broker;
    this.topics = { track: (topic) => broker.calls.push(`track ${topic}`) > 0 };
  }

  /** Called before each join. */
  async beforeJoin(): Promise<void> {
    await (this.options['protocolsMetadata'] as () => Promise<Buffer>)();
  }

  async joinGroup(): Promise<void> {
    await this.beforeJoin();
    this.#broker.calls.push('join');
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
    this.#fail('metadata');
    const { topicId: id, partitions: count } = this.#broker;
    const partitions = Array.from({ length: count }, () => ({ leader: 1 }));
    return { topics: new Map(topics.map((topic) => [topic, { id, partitions }])) };
  }

  async listCommittedOffsets({ topics }: { topics: NativeTopic[] }) {
    await turn();
    const { committed, partitions } = this.#broker;
    const offsets = Array.from({ length: partitions }, (_, partition) => committed.get(partition) ?? -1n);
    return new Map(topics.map(({ topic }) => [topic, offsets]));
  }

  async listOffsets({ topics, timestamp }: { topics: string[]; timestamp: bigint }) {
    await turn();
    this.#fail('listOffsets');
    const offsets = Array.from({ length: this.#broker.partitions }, (_, partition) => {
      const { oldest, end } = this.#broker.log(partition);
      return timestamp === -2n ? oldest : end;
    });
    return new Map(topics.map((topic) => [topic, offsets]));
  }

  async commit({ offsets }: { offsets: { partition: number; offset: bigint }[] }): Promise<void> {
    for (const { partition, offset } of offsets)
      this.#broker.calls.push(`commit ${partition} ${String(offset)}`);
    await turn();
    this.#fail('commit');
    for (const { partition, offset } of offsets) this.#broker.committed.set(partition, offset);
  }

  async fetch({ topics }: FetchRequest): Promise<FetchResponse> {
    const asked = topics.flatMap(({ topicId, partitions }) => partitions.map((one) => ({ topicId, ...one })));
    for (const { partition, fetchOffset } of asked)
      this.#broker.fetched.push(`${partition}@${String(fetchOffset)}`);
    await turn();
    if (this.#isClosed) throw new Error('Client is closed.');
    this.#fail('fetch');
    const partitions = asked.map((one) => this.#read(one.partition, one.fetchOffset));
    const response = { responses: [{ topicId: asked[0]?.topicId ?? '', partitions }] };
    if (partitions.every(({ errorCode }) => errorCode === 0)) return response;
    throw Object.assign(new AggregateError([], 'refused'), { response });
  }

  #read(partitionIndex: number, from: bigint): NativePartition {
    const { oldest, end, batches } = this.#broker.log(partitionIndex);
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

export function fakePackage(): FakePackage {
  const consumers: FakeConsumer[] = [];
  const logs = new Map<number, Log>();
  const broker: FakeBroker = {
    topicId: 'first',
    partitions: 2,
    committed: new Map(),
    faults: {},
    calls: [],
    fetched: [],
    log(partition) {
      const log = logs.get(partition) ?? { oldest: 0n, end: 0n, batches: [] };
      logs.set(partition, log);
      return log;
    },
    push(...records) {
      for (const { offset, partition = 0 } of records) {
        const log = broker.log(partition);
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
    assign(...partitions: number[]) {
      member().emit('consumer:group:join', { assignments: [{ topic: 'orders', partitions }] });
    },
    rebalance: () => member().beforeJoin(),
    lose(error: unknown) {
      member().emit('error', error);
    },
  });
}
