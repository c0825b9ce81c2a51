import type {
  PlatformaticAdmin,
  PlatformaticPackage,
  PlatformaticProducer,
} from '../../../../../adapters/kafka/platformatic/platformatic-types.ts';
import type { NativeConsumer } from '../../../../../adapters/kafka/platformatic/native.ts';
import { loadClient } from './installed-clients.ts';
import type { MemberConfig } from './member.ts';

interface Closing {
  close(): Promise<void>;
}

/** The parts of the package that tests use, which is installed in test/kafka-clients. */
interface InstalledPackage extends PlatformaticPackage {
  readonly Admin: new (options: object) => PlatformaticAdmin & Closing;
  readonly Producer: new (options: object) => PlatformaticProducer & Closing;
}

export function platformaticPackage(): InstalledPackage {
  return loadClient('platformatic') as InstalledPackage;
}

/** What settings of kafkajs are called here. */
export function platformaticConfig(
  brokers: readonly string[],
  { sessionTimeout = 6_000, heartbeatInterval, maxWaitTimeInMs, ...bytes }: MemberConfig,
): Record<string, unknown> {
  const { minBytes, maxBytesPerPartition, groupInstanceId } = bytes;
  return {
    bootstrapBrokers: [...brokers],
    groupInstanceId,
    ...{ sessionTimeout, heartbeatInterval, minBytes, maxBytesPerPartition, maxWaitTime: maxWaitTimeInMs },
    // Above that of the session, which the client asks for.
    rebalanceTimeout: Math.max(sessionTimeout, 10_000),
    // A group that meets again goes on at once.
    ...{ connectTimeout: 1_000, metadataMaxAge: 1_000 },
  };
}

interface Tell {
  joined(assignment: Record<string, number[]>): void;
  committed(partition: number, offset: number): void;
}

interface Assigned {
  assignments?: { topic: string; partitions: number[] }[];
}

/** The package, whose consumers note what they do. Knows nothing of the test runner. */
export function watchedPlatformatic(tell: Partial<Tell> = {}) {
  const joins: Record<string, number[]>[] = [];
  const commits: { partition: number; offset: number; afterJoins: number }[] = [];
  let beats = 0;
  let rebalances = 0;
  const Native = platformaticPackage().Consumer as unknown as new (options: object) => NativeConsumer;

  class Watched extends Native {
    constructor(options: object) {
      super(options);
      const emitter = this as unknown as { on(event: string, listener: (payload: Assigned) => void): void };
      emitter.on('consumer:heartbeat:end', () => {
        beats += 1;
      });
      emitter.on('consumer:group:rebalance', () => {
        rebalances += 1;
      });
      emitter.on('consumer:group:join', ({ assignments = [] }) => {
        const joined = Object.fromEntries(assignments.map(({ topic, partitions }) => [topic, partitions]));
        joins.push(joined);
        tell.joined?.(joined);
      });
    }
    override async commit(query: Parameters<NativeConsumer['commit']>[0]): Promise<void> {
      const afterJoins = joins.length;
      await super.commit(query);
      for (const { partition, offset } of query.offsets) {
        commits.push({ partition, offset: Number(offset), afterJoins });
        tell.committed?.(partition, Number(offset));
      }
    }
  }

  return {
    client: { Consumer: Watched } as unknown as PlatformaticPackage,
    seen: {
      joins,
      commits,
      crashes: [] as { error: Error; restart: boolean }[],
      heartbeats: () => beats,
      refusedHeartbeats: () => rebalances,
    },
  };
}
