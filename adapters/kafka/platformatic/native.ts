import { isError } from '../../../src/adapter-kit.ts';
import type { Place } from '../log/log-client.ts';

/** Partitions of a topic, as the client has them. */
export interface NativeTopic {
  readonly topic: string;
  readonly partitions: number[];
}

/** What the client knows of a topic. */
export interface TopicMetadata {
  /** Another one, when the topic is made again. */
  readonly id: string;
  readonly partitions: readonly ({ readonly leader: number } | undefined)[];
}

/** A batch of records, as the broker stores it. */
export interface NativeBatch {
  readonly firstOffset: bigint;
  readonly lastOffsetDelta: number;
  readonly attributes: number;
  readonly firstTimestamp: bigint;
  readonly maxTimestamp: bigint;
  readonly producerId: bigint;
  readonly records: readonly NativeRecord[];
}

export interface NativeRecord {
  readonly attributes: number;
  readonly timestampDelta: bigint;
  readonly offsetDelta: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly (readonly [name: Buffer | null, value: Buffer | null])[];
}

/** What a fetch has brought of a partition. */
export interface NativePartition {
  readonly partitionIndex: number;
  readonly errorCode: number;
  readonly highWatermark: bigint;
  readonly abortedTransactions?: readonly NativeAborted[] | null | undefined;
  readonly records?: readonly NativeBatch[] | undefined;
}

export interface NativeAborted {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

export interface FetchResponse {
  readonly responses: readonly {
    readonly topicId: string;
    readonly partitions: readonly NativePartition[];
  }[];
}

export interface FetchRequest {
  node: number;
  topics: {
    topicId: string;
    partitions: {
      partition: number;
      fetchOffset: bigint;
      partitionMaxBytes: number;
      currentLeaderEpoch: number;
      lastFetchedEpoch: number;
    }[];
  }[];
}

/** A consumer of the package, without its streams. */
export interface NativeConsumer {
  /** Null where it has no place in the group. */
  readonly memberId: string | null;
  readonly connections: { close(): Promise<void> };
  /** Topics that it subscribes to when it joins, and reads about with every call of the group. */
  readonly topics: { track(topic: string): boolean; untrack(topic: string): boolean };
  on(event: 'consumer:group:join', listener: (joined: { assignments?: NativeTopic[] }) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  joinGroup(options: object): Promise<unknown>;
  leaveGroup(force: boolean): Promise<void>;
  close(force: boolean): Promise<void>;
  metadata(query: {
    topics: string[];
    forceUpdate?: boolean;
  }): Promise<{ readonly topics: ReadonlyMap<string, TopicMetadata> }>;
  clearMetadata(): void;
  fetch(request: FetchRequest): Promise<FetchResponse>;
  commit(query: { offsets: (Place & { offset: bigint; leaderEpoch: number })[] }): Promise<void>;
  listOffsets(query: {
    topics: string[];
    partitions: Record<string, number[]>;
    timestamp: bigint;
  }): Promise<Offsets>;
  listCommittedOffsets(query: { topics: NativeTopic[] }): Promise<Offsets>;
}

/** By topic, and then by partition. */
export type Offsets = ReadonlyMap<string, readonly (bigint | undefined)[]>;

/** Ends a consumer, also where its group cannot be reached. */
export async function closed(consumer: NativeConsumer): Promise<void> {
  try {
    await consumer.close(true);
  } catch {
    await consumer.connections.close();
  }
}

/** Kafka's code of a position that is not in the log. */
export const OUT_OF_RANGE = 1;

/** The client wraps what a broker has answered in errors of its own, in which others can be. */
export function* errorsIn(error: unknown): Generator<Error> {
  if (!isError(error)) return;
  yield error;
  if (error instanceof AggregateError) for (const inner of error.errors) yield* errorsIn(inner);
}

/** The error that says what has happened, without the errors that wrap it alone. */
export function plainError(error: unknown): unknown {
  const inner: unknown =
    error instanceof AggregateError && error.errors.length === 1 ? error.errors[0] : error;
  return inner === error ? error : plainError(inner);
}

/** The first of the errors that the client has wrapped. */
export function firstError(error: unknown): unknown {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return first === undefined ? error : firstError(first);
}

/** The answer of a broker that refused a part of it. */
export function responseIn(error: unknown): FetchResponse | undefined {
  for (const one of errorsIn(error)) {
    const response: unknown = 'response' in one ? one.response : undefined;
    if (typeof response === 'object' && response !== null && 'responses' in response)
      return response as FetchResponse;
  }
  return undefined;
}

/** Whether brokers could not be reached. */
export function isOfNetwork(error: unknown): boolean {
  return [...errorsIn(error)].some((one) => 'code' in one && one.code === 'PLT_KFK_NETWORK');
}

/** What the group answers to one that has to join it again. */
export function needsRejoin(error: unknown): error is Error {
  return [...errorsIn(error)].some((one) => 'needsRejoin' in one && one.needsRejoin === true);
}
