/** The parts of @confluentinc/kafka-javascript that this adapter uses, by shape. */

/** A message as the client's callback API gives it. */
export interface ConfluentMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key?: Buffer | string | null | undefined;
  readonly value: Buffer | null;
  readonly timestamp?: number | undefined;
  readonly headers?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** A partition, with a position where that is asked for. */
export interface ConfluentPlace {
  topic: string;
  partition: number;
  offset: number;
}

/** What a consumer of the client's callback API is told. */
export interface ConfluentCommands {
  subscribe(topics: string[]): unknown;
  unsubscribe(): unknown;
  assign(partitions: { topic: string; partition: number }[]): unknown;
  unassign(): unknown;
  pause(partitions: { topic: string; partition: number }[]): unknown;
  resume(partitions: { topic: string; partition: number }[]): unknown;
  getWatermarkOffsets(topic: string, partition: number): { readonly highOffset: number };
  setDefaultConsumeTimeout(milliseconds: number): void;
}

/** A consumer of the client's callback API, as far as its types tell it. */
export interface ConfluentConsumer extends ConfluentCommands {
  on(event: 'data', listener: (message: ConfluentMessage) => void): unknown;
  consume(count: number, callback: (error: never, messages: never) => void): void;
  seek(place: ConfluentPlace, timeoutMs: number, callback: (error: never) => void): unknown;
}

/** The package, or an object with its `KafkaConsumer`. */
export interface ConfluentPackage {
  /** Of the callback API. */
  readonly KafkaConsumer: new (config: never, topicConfig?: never) => ConfluentConsumer;
}

/** A connected producer of the package: `new KafkaJS.Kafka({ kafkaJS: { brokers } }).producer()`. */
export interface ConfluentProducer {
  /** Resolves when as many replicas have it as the producer's `acks` ask for: all of them by default. */
  send(record: {
    topic: string;
    messages: {
      key: Buffer | null;
      value: Buffer | null;
      headers: Record<string, Buffer | string | (Buffer | string)[]>;
    }[];
  }): Promise<unknown>;
}

/** A connected admin client of the package: `new KafkaJS.Kafka({ kafkaJS: { brokers } }).admin()`. */
export interface ConfluentAdmin {
  /** What a group has committed. */
  fetchOffsets(query: { groupId: string; topics: string[] }): Promise<
    readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly offset: string;
        readonly metadata: string | null;
      }[];
    }[]
  >;
  /** Where the partitions of a topic begin and end. */
  fetchTopicOffsets(topic: string): Promise<
    readonly {
      readonly partition: number;
      readonly offset: string;
      readonly high: string;
      readonly low: string;
    }[]
  >;
  /** Needed with `retry` alone. */
  describeGroups?(groupIds: string[]): Promise<{ readonly groups: readonly ConfluentGroup[] }>;
}

export interface ConfluentGroup {
  /** 3 is stable. */
  readonly state: number;
  readonly members: readonly {
    readonly assignment: { readonly topicPartitions: readonly { readonly topic: string }[] };
  }[];
}
