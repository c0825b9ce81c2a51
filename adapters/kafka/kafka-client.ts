/** The parts of a kafkajs client that this adapter uses, by shape: another client of the same shape fits. */

export type KafkaHeaders = Record<string, Buffer | string | (Buffer | string)[] | undefined>;

/** A message as it was fetched. */
export interface KafkaMessage {
  readonly key: Buffer | null;
  /** Null for a tombstone. */
  readonly value: Buffer | null;
  readonly timestamp: string;
  readonly attributes: number;
  readonly offset: string;
  readonly headers: KafkaHeaders;
}

/** A message before it is completed: those of the oldest formats have no headers and no timestamp. */
export type FetchedMessage = Omit<KafkaMessage, 'headers' | 'timestamp'> &
  Partial<Pick<KafkaMessage, 'headers' | 'timestamp'>>;

export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly FetchedMessage[];
}

/** What `eachBatch` is called with. */
export interface BatchPayload {
  readonly batch: FetchedBatch;
  resolveOffset(offset: string): void;
  heartbeat(): Promise<void>;
  commitOffsetsIfNecessary(): Promise<void>;
  /** Of all partitions of the consumer. */
  uncommittedOffsets(): { readonly topics: readonly unknown[] };
  isRunning(): boolean;
  /** Whether somebody has called `seek` for the partition meanwhile. */
  isStale(): boolean;
}

/** What `consumer.run` is called with. */
export interface RunConfig {
  readonly autoCommit: true;
  readonly autoCommitInterval: number;
  readonly eachBatchAutoResolve: false;
  readonly partitionsConsumedConcurrently: number;
  readonly eachBatch: (payload: BatchPayload) => Promise<void>;
}

export interface GroupJoinEvent {
  readonly payload: { readonly memberAssignment: Readonly<Record<string, readonly number[]>> };
}

export interface CrashEvent {
  readonly payload: { readonly error: Error; readonly restart: boolean };
}

export interface TopicPartitions {
  topic: string;
  partitions: number[];
}

/** A consumer, such as `kafka.consumer({ groupId })`. */
export interface KafkaConsumer {
  on(event: 'consumer.group_join', listener: (event: GroupJoinEvent) => void): unknown;
  on(event: 'consumer.crash', listener: (event: CrashEvent) => void): unknown;
  pause(partitions: TopicPartitions[]): void;
  resume(partitions: TopicPartitions[]): void;
  paused(): readonly { readonly topic: string; readonly partitions: readonly number[] }[];
}

/** A connected producer, such as `kafka.producer()`. */
export interface KafkaProducer {
  send(record: {
    topic: string;
    acks: number;
    messages: { key: Buffer | null; value: Buffer | null; headers: KafkaHeaders }[];
  }): Promise<unknown>;
}

export interface ConfigEntry {
  readonly configName: string;
  readonly configValue: string;
}

/** A connected admin client, such as `kafka.admin()`. */
export interface KafkaAdmin {
  describeConfigs(query: {
    includeSynonyms: boolean;
    resources: { type: number; name: string; configNames: string[] }[];
  }): Promise<{
    readonly resources: readonly {
      readonly resourceName: string;
      readonly configEntries: readonly ConfigEntry[];
    }[];
  }>;
}

/** Errors that mean: the group goes on without this member, until it has joined again. */
const MEMBERSHIP_ERRORS = new Set([
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

/** The client joins again when it sees such an error as it is; anything else that it sees can stop it for good. */
export function isMembershipError(error: unknown): error is Error {
  return error instanceof Error && 'type' in error && MEMBERSHIP_ERRORS.has(String(error.type));
}
