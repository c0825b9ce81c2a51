/** The parts of @platformatic/kafka that this adapter uses, by shape. */

/** The package, or an object with its `Consumer`. */
export interface PlatformaticPackage {
  /** Makes a member of a group. */
  readonly Consumer: new (options: never) => object;
}

/** A producer of the package, without serializers: `new Producer({ clientId, bootstrapBrokers })`. */
export interface PlatformaticProducer {
  /** Resolves when as many replicas have it as `acks` asks for: all of them for -1. */
  send(record: {
    acks: number;
    messages: {
      topic: string;
      key?: Buffer;
      value: Buffer;
      headers: Map<Buffer, Buffer>;
    }[];
  }): Promise<unknown>;
}

/** An admin client of the package: `new Admin({ clientId, bootstrapBrokers })`. */
export interface PlatformaticAdmin {
  /** How many partitions topics have. */
  metadata(query: {
    topics: string[];
    forceUpdate: boolean;
  }): Promise<{ readonly topics: ReadonlyMap<string, { readonly partitionsCount: number }> }>;
  /** Where partitions begin, for the timestamp -2, and end, for -1. */
  listOffsets(query: {
    topics: { name: string; partitions: { partitionIndex: number; timestamp: bigint }[] }[];
  }): Promise<
    readonly {
      readonly name: string;
      readonly partitions: readonly { readonly partitionIndex: number; readonly offset: bigint }[];
    }[]
  >;
  /** What a group has committed. */
  listConsumerGroupOffsets(query: {
    groups: { groupId: string; topics: { name: string; partitionIndexes: number[] }[] }[];
  }): Promise<
    readonly {
      readonly topics: readonly {
        readonly name: string;
        readonly partitions: readonly {
          readonly partitionIndex: number;
          readonly committedOffset: bigint;
          readonly metadata: string | null | undefined;
        }[];
      }[];
    }[]
  >;
  /** Some settings of some topics. */
  describeConfigs(query: {
    resources: { resourceType: never; resourceName: string; configurationKeys: string[] }[];
  }): Promise<
    readonly {
      readonly resourceName: string;
      readonly configs: readonly { readonly name: string; readonly value: string | null | undefined }[];
    }[]
  >;
  /** Needed only with `retry`. */
  describeGroups?(query: { groups: string[] }): Promise<ReadonlyMap<string, PlatformaticGroup>>;
}

/** What the coordinator knows about a group. */
export interface PlatformaticGroup {
  /** `Stable`, when every member has its partitions. */
  readonly state: string;
  /** With what each subscribes to. */
  readonly members: ReadonlyMap<
    string,
    { readonly metadata?: { readonly topics?: readonly string[] | undefined } | undefined }
  >;
}
