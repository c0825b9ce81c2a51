import type { LogHeaders } from '../../shared/kafka/retry-copy.ts';

/**
 * What this adapter needs of a Kafka consumer, in words of its own: a client is one file behind it.
 *
 * A position is the offset of the next record to read. Offsets have gaps, so a position is never counted, only taken
 * from records.
 */

/** Values by name. A list where a name came more than once. */
export type KafkaHeaders = LogHeaders;

/** A message as it was fetched. */
export interface KafkaMessage {
  /** Null where the producer gave none. */
  readonly key: Buffer | null;
  /** Null for a tombstone. */
  readonly value: Buffer | null;
  /** Milliseconds since 1970, as text. */
  readonly timestamp: string;
  /** Bits of Kafka's record format, as the client gives them. */
  readonly attributes: number;
  /** A whole number, as text: it can be above what a number holds. */
  readonly offset: string;
  /** Empty where there are none. */
  readonly headers: KafkaHeaders;
}

export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** A message and its place. */
export interface Placed extends Place {
  readonly message: KafkaMessage;
}

/** Partitions by topic, as a group assigns them. */
export type Assignment = Readonly<Record<string, readonly number[]>>;

/** What a client hands over of one partition: a fetch, or what a client that pushes has gathered. */
export interface Fetch extends Place {
  readonly messages: readonly KafkaMessage[];
  /** The position that it was fetched from. */
  readonly from: bigint;
  /** The position after its last record, delivered or not. */
  readonly to: bigint;
  /** The position at the end of the partition. */
  readonly end: bigint;
  /** The client hands over from here next. False where a seek has made it void: then nothing is committed. */
  advance(position: bigint): boolean;
  /** Commits a position of its partition, in the generation that the client is in. */
  commit(position: bigint): Promise<void>;
  /** Keeps the membership; resolves at once where the client does so by itself. */
  heartbeat(): Promise<void>;
  /** False as soon as the consumer begins to stop. */
  isRunning(): boolean;
  /** Whether a seek has made it void. */
  isStale(): boolean;
}

/** A consumer as this adapter commands it. */
export interface LogConsumer {
  /** The adapter pauses a partition, or does so no more: `Pauses` has which. Throws when it does not run. */
  applyPause(place: Place): void;
  /** A pause of the user's own, which goes into `Pauses`. Throws when it does not run. */
  callOfUser(verb: 'pause' | 'resume', topics: readonly TopicPartitions[]): void;
  /** Moves the position of a partition to one that is committed. */
  moveTo(place: Place, position: bigint): void;
  /** Commits a position where no fetch is at hand. Before its first fetch a client can forget it without a word. */
  commit(place: Place, position: bigint): Promise<void>;
  /** Whether an error says that the group continues without this member, until it has joined again. */
  endsMembership(error: unknown): error is Error;
  /** Partitions that are not fetched, as far as the client knows. */
  unreached?(): readonly Place[];
}

/** What a client reports. */
export interface LogListener {
  /** The group has assigned partitions. Nothing of them is handed over before this returns. */
  joined(assignment: Assignment): void;
  /** The client has looked up where partitions begin or end: it may have no position of them any more. */
  lookedUp(): void;
  /** Records were read that are not delivered, such as those of an aborted transaction. */
  passedOver(place: Place, position: bigint): void;
  /** The consumer begins to stop. The process may end when this has resolved. */
  stopping(): Promise<void>;
  /** The consumer has stopped: its positions and pauses are gone. */
  stopped(): void;
  crashed(error: Error, restart: boolean): void;
  /** Another consumer has run the config of this one, and stops with this error. This one goes on. */
  misused(error: Error): void;
  /** The user has moved the position of a partition. Undefined where only the client knows the offset. */
  moved(place: Place, to: bigint | undefined): void;
}

/** Partitions of a topic. */
export interface TopicPartitions {
  /** Its name. */
  readonly topic: string;
  /** Undefined where the whole topic is meant. */
  readonly partitions?: readonly number[] | undefined;
}
