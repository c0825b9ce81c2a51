/** The parts of @confluentinc/kafka-javascript that this adapter uses, by shape. */

/** The package, or an object with its `KafkaConsumer`. */
export interface ConfluentPackage {
  /** Of the callback API. */
  readonly KafkaConsumer: new (config: never, topicConfig?: never) => object;
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
  /** Needed only with `retry`. */
  describeGroups?(groupIds: string[]): Promise<{ readonly groups: readonly ConfluentGroup[] }>;
}

/** What the coordinator knows about a group. */
export interface ConfluentGroup {
  /** 3 is stable. */
  readonly state: number;
  /** With what each is assigned. */
  readonly members: readonly {
    readonly assignment: { readonly topicPartitions: readonly { readonly topic: string }[] };
  }[];
}
