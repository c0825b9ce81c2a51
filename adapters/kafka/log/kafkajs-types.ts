/** The parts of kafkajs that this adapter uses, by shape. */
import type { TopicConfigs } from '../../shared/kafka/topic-retention.ts';
import type { LogAdmin } from './log-admin.ts';
import type { KafkaHeaders, KafkaMessage } from './log-client.ts';

/** A message before it is completed: those of the oldest formats have no headers and no timestamp. */
export type FetchedMessage = Omit<KafkaMessage, 'headers' | 'timestamp'> &
  Partial<Pick<KafkaMessage, 'headers' | 'timestamp'>>;

export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly FetchedMessage[];
  /** The offset of the next message that is produced, as far as it can be read. */
  readonly highWatermark: string;
  /** The last that was read, delivered or not. */
  lastOffset(): string;
}

/** What `eachBatch` is called with. */
export interface BatchPayload {
  readonly batch: FetchedBatch;
  resolveOffset(offset: string): void;
  heartbeat(): Promise<void>;
  commitOffsetsIfNecessary(offsets: Offsets): Promise<void>;
  isRunning(): boolean;
  /** Whether `seek` was called for the partition since it was fetched. */
  isStale(): boolean;
}

export interface Offsets {
  topics: { topic: string; partitions: { partition: number; offset: string }[] }[];
}

/** What `consumer.run` of kafkajs takes: made by `onceEachKafkaMessage`, to be passed on unchanged. */
export interface RunConfig {
  readonly autoCommit: true;
  readonly autoCommitInterval: number;
  readonly eachBatchAutoResolve: false;
  readonly partitionsConsumedConcurrently: number;
  readonly eachBatch: (payload: BatchPayload) => Promise<void>;
}

export interface GroupJoinEvent {
  readonly payload: {
    readonly groupId?: string;
    readonly memberAssignment: Readonly<Record<string, readonly number[]>>;
  };
}

export interface CrashEvent {
  readonly payload: { readonly error: Error; readonly restart: boolean };
}

export interface BatchEvent {
  readonly payload: {
    readonly topic: string;
    readonly partition: number;
    readonly batchSize: number;
    readonly lastOffset: string;
  };
}

export interface RequestEvent {
  readonly payload: { readonly apiName: string };
}

export interface KafkaTopicPartitions {
  topic: string;
  partitions?: number[];
}

/**
 * A consumer of kafkajs, such as `kafka.consumer({ groupId })`.
 *
 * Its methods `pause`, `resume`, `seek`, `run`, `stop` and `disconnect` are replaced by methods that record the call
 * and pass it on.
 */
export interface KafkaConsumer {
  on(event: 'consumer.group_join', listener: (event: GroupJoinEvent) => void): unknown;
  on(event: 'consumer.crash', listener: (event: CrashEvent) => void): unknown;
  on(
    event: 'consumer.start_batch_process' | 'consumer.end_batch_process',
    listener: (event: BatchEvent) => void,
  ): unknown;
  on(event: 'consumer.network.request', listener: (event: RequestEvent) => void): unknown;
  on(event: 'consumer.stop', listener: () => void): unknown;
  pause(topics: KafkaTopicPartitions[]): void;
  resume(topics: KafkaTopicPartitions[]): void;
  seek(position: { topic: string; partition: number; offset: string }): void;
  commitOffsets(
    positions: { topic: string; partition: number; offset: string; metadata?: string }[],
  ): Promise<void>;
  run(config?: never): Promise<void>;
  stop(): Promise<void>;
  disconnect(): Promise<void>;
}

/** A connected producer of kafkajs, such as `kafka.producer()`. */
export interface KafkaProducer {
  send(record: {
    topic: string;
    acks: number;
    messages: { key: Buffer | null; value: Buffer | null; headers: KafkaHeaders }[];
  }): Promise<unknown>;
}

/** A connected admin client of kafkajs, such as `kafka.admin()`. */
export interface KafkaAdmin extends LogAdmin {
  /** Some settings of some topics, as text. */
  describeConfigs: TopicConfigs['describeConfigs'];
}
