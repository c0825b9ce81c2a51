import type { FakePartition, FetchedFakeMessage } from './fake-log.ts';

/** Positions, as `commitOffsetsIfNecessary` takes them. */
export interface FakeOffsets {
  /** By topic and partition. */
  topics: { topic: string; partitions: { partition: number; offset: string }[] }[];
}

/** A batch in the shape of kafkajs. */
export interface FakeBatch {
  /** As it was produced to. */
  readonly topic: string;
  /** From 0. */
  readonly partition: number;
  /** The offset of the next message that is produced. */
  readonly highWatermark: string;
  /** From the position of the partition to its end. */
  readonly messages: FetchedFakeMessage[];
  /** Whether there are no messages. */
  isEmpty(): boolean;
  /** Null where there are no messages. */
  firstOffset(): string | null;
  /** Of the last message. */
  lastOffset(): string;
  /** Always 0: a batch reaches to the end of its partition. */
  offsetLag(): string;
  /** How many offsets the batch spans, without the first. */
  offsetLagLow(): string;
}

/** What an `eachBatch` is called with, in the shape of kafkajs. */
export interface FakeBatchPayload {
  /** The messages. */
  readonly batch: FakeBatch;
  /** Moves the position of the partition behind this offset. */
  resolveOffset(offset: string): void;
  /** Does nothing. */
  heartbeat(): Promise<void>;
  /** Pauses the partition. Returns what resumes it. */
  pause(): () => void;
  /** Commits these positions. Default: the resolved ones. */
  commitOffsetsIfNecessary(offsets?: FakeOffsets): Promise<void>;
  /** What is resolved and not committed. */
  uncommittedOffsets(): FakeOffsets;
  /** False once the consumer is to stop. */
  isRunning(): boolean;
  /** Whether `seek` was called for the partition since the fetch. */
  isStale(): boolean;
}

/** What a batch can do with its consumer. */
export interface BatchHost {
  readonly isRunning: () => boolean;
  readonly pause: (partition: FakePartition) => () => void;
  readonly commit: (offsets: FakeOffsets) => void;
}

/** One fetch of a partition, from its position to its end. */
export function createFakeBatch(partition: FakePartition, host: BatchHost): FakeBatchPayload {
  const { topic, partition: number, position, seeks } = partition;
  const messages = partition.messages.slice(position);
  const end = partition.messages.length;
  const batch = {
    topic,
    partition: number,
    highWatermark: String(end),
    messages,
    // Beyond the types of kafkajs: the requested offset.
    fetchedOffset: String(position),
    isEmpty: () => messages.length === 0,
    firstOffset: () => messages[0]?.offset ?? null,
    lastOffset: () => messages.at(-1)?.offset ?? String(end - 1),
    offsetLag: () => '0',
    offsetLagLow: () => String(Math.max(0, messages.length - 1)),
  };
  const resolved = (): FakeOffsets => ({
    topics: [{ topic, partitions: [{ partition: number, offset: String(partition.position) }] }],
  });
  const isStale = (): boolean => partition.seeks !== seeks;
  return {
    batch,
    resolveOffset(offset) {
      if (!isStale()) partition.position = Number(offset) + 1;
    },
    heartbeat: () => Promise.resolve(),
    pause: () => host.pause(partition),
    commitOffsetsIfNecessary(offsets = resolved()) {
      host.commit(offsets);
      return Promise.resolve();
    },
    uncommittedOffsets: () => (partition.position === partition.committed ? { topics: [] } : resolved()),
    isRunning: host.isRunning,
    isStale,
  };
}
