import type { MemberConfig } from './member.ts';
import {
  CODES,
  type NativeConsumer,
  type RdKafkaError,
} from '../../../../../adapters/kafka/confluent/native.ts';
import { confluentPackage } from './confluent-package.ts';

/** What settings of kafkajs are called here. */
export function settingsOf(config: MemberConfig): Record<string, number | string> {
  const { sessionTimeout, heartbeatInterval, maxWaitTimeInMs, minBytes, maxBytesPerPartition } = config;
  const settings = {
    'group.instance.id': config.groupInstanceId,
    'session.timeout.ms': sessionTimeout,
    'heartbeat.interval.ms': heartbeatInterval,
    'fetch.wait.max.ms': maxWaitTimeInMs,
    'fetch.min.bytes': minBytes,
    'max.partition.fetch.bytes': maxBytesPerPartition,
    // A group that meets again goes on at once.
    'reconnect.backoff.max.ms': 500,
    'topic.metadata.refresh.interval.ms': 1_000,
  };
  const given = Object.entries(settings).filter(
    (entry): entry is [string, number | string] => entry[1] !== undefined,
  );
  return Object.fromEntries(given);
}

interface Place {
  topic: string;
  partition: number;
  offset: number;
}

interface Tell {
  joined(assignment: Record<string, number[]>): void;
  committed(partition: number, offset: number): void;
}

/** The package, whose consumers note what they do. Knows nothing of the test runner. */
export function watchedPackage(tell: Partial<Tell> = {}) {
  const joins: Record<string, number[]>[] = [];
  const commits: { partition: number; offset: number; afterJoins: number }[] = [];
  let calls = 0;
  let revoked = 0;
  const { KafkaConsumer } = confluentPackage();
  const Native = KafkaConsumer as unknown as new (config: object, topicConfig: object) => NativeConsumer;

  class Watched extends Native {
    constructor(config: object, topicConfig: object) {
      super(config, topicConfig);
      const emitter = this as unknown as { on(event: string, listener: (error: RdKafkaError) => void): void };
      emitter.on('rebalance', ({ code }) => {
        if (code !== CODES.assignPartitions) revoked += 1;
      });
      this.on('offset.commit', (error, places) => {
        if (error !== null && error !== undefined) return;
        for (const { partition, offset } of places) {
          commits.push({ partition, offset, afterJoins: joins.length });
          tell.committed?.(partition, offset);
        }
      });
    }
    override assign(places: Place[]) {
      const joined: Record<string, number[]> = {};
      for (const { topic, partition } of places) (joined[topic] ??= []).push(partition);
      joins.push(joined);
      tell.joined?.(joined);
      return super.assign(places);
    }
    override consume(count: number, done: (error: unknown, messages: readonly unknown[]) => void) {
      if (joins.length > 0) calls += 1;
      super.consume(count, done);
    }
  }

  return {
    client: { KafkaConsumer: Watched } as never,
    seen: {
      joins,
      commits,
      crashes: [] as { error: Error; restart: boolean }[],
      // The client tells none. As often as it waits for messages, it is alive.
      heartbeats: () => Math.floor(calls / 3),
      refusedHeartbeats: () => revoked,
    },
  };
}
