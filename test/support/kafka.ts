import { randomBytes } from 'node:crypto';
import type { Admin, Consumer, ConsumerConfig, Kafka, Message } from 'kafkajs';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import { createKafkaClient } from './kafka-client.ts';
import { committedOffsets, endOffsets, type Offsets } from './kafka-offsets.ts';
import { type ReadMessage, readTopic } from './kafka-read.ts';
import { type Sockets, trackSockets } from './kafka-sockets.ts';
import { produceInTransaction, type TransactionEnd } from './kafka-transaction.ts';
import { serviceUrl } from './service-url.ts';
import { until } from './until.ts';

const brokersOfRun = (await serviceUrl('kafka')).split(',');

/** With these a topic's old values stay until `compact` is called, and then go soon. */
export const compacted = {
  'cleanup.policy': 'compact',
  'min.cleanable.dirty.ratio': '0',
  'delete.retention.ms': '0',
  'segment.ms': '30000',
};

export interface TopicOptions {
  partitions?: number;
  config?: Record<string, string>;
}

export interface ProduceOptions {
  /** Sends in a transaction that ends so. Its marker takes an offset in each partition that it wrote to. */
  transaction?: TransactionEnd;
}

/** A busy broker answers before it has made a topic, and goes on. */
function unlessUnderWay(error: unknown): true {
  const { errors = [] } = error as { readonly errors?: readonly { readonly type?: string }[] };
  if (errors.length > 0 && errors.every(({ type }) => type === 'REQUEST_TIMED_OUT')) return true;
  throw error;
}

/** Helpers that are there from the calling file's first test to its last. */
export interface TestKafka {
  readonly kafka: Kafka;
  readonly admin: Admin;
  /** For clients that are made beside this. */
  brokers(): string[];
  /** Creates a topic with a name of its own, and gives its name. */
  createTopic(options?: TopicOptions): Promise<string>;
  /** Resolves when all its partitions have leaders. */
  makeTopic(topic: string, options?: TopicOptions): Promise<void>;
  /** Deletes it, and makes it again with one partition: its offsets count from 0. */
  remakeTopic(topic: string): Promise<void>;
  /** A name that no other group has. */
  groupId(): string;
  produce(topic: string, messages: Message[], options?: ProduceOptions): Promise<void>;
  /** Where a group goes on in each partition; -1 where it has committed nothing. */
  committed(groupId: string, topic: string): Promise<Offsets>;
  /** The offset that the next message gets, in each partition. */
  endOffsets(topic: string): Promise<Offsets>;
  /** All messages that are in a topic now. Waits for transactions that have not ended. */
  read(topic: string): Promise<ReadMessage[]>;
  /** Adds a message to a topic created with `compacted`, and of those before it keeps only the last of each key. */
  compact(topic: string, next: Message): Promise<void>;
  /** Disconnected when the test ends. */
  consumer(config?: Partial<ConsumerConfig>): Consumer;
  /**
   * Waits until a consumer that has disconnected can connect again. kafkajs 2.2.4 reuses its connection objects: when
   * an old socket ends after a new one was opened, the new one is closed, and the consumer can stop permanently.
   */
  reconnectable(consumer: Consumer): Promise<void>;
}

/** For worker processes: they make their own client with `createKafkaClient`. */
export function kafkaBrokers(): string[] {
  return brokersOfRun;
}

export function useKafka(brokers: () => string[] = kafkaBrokers): TestKafka {
  const kafka = createKafkaClient(brokers);
  const admin = kafka.admin();
  const producer = kafka.producer({ idempotent: true });
  const topics = new Set<string>();
  const socketsOf = new Map<Consumer, Sockets>();
  let compactions = 0;

  beforeAll(async () => {
    await Promise.all([admin.connect(), producer.connect()]);
  });

  afterAll(async () => {
    // The broker can be the developer's own. It forgets a group by itself once the topics are gone.
    const existing = await admin.listTopics();
    await admin.deleteTopics({ topics: existing.filter((topic) => topics.has(topic)) });
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  });

  async function produce(topic: string, messages: Message[], { transaction }: ProduceOptions = {}) {
    if (transaction === undefined) {
      await producer.send({ topic, messages });
      return;
    }
    await produceInTransaction(
      { kafka, admin, transactionalId: uniqueName() },
      { topic, messages },
      transaction,
    );
  }

  async function makeTopic(topic: string, { partitions = 1, config = {} }: TopicOptions = {}): Promise<void> {
    topics.add(topic);
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    const created = [{ topic, numPartitions: partitions, configEntries }];
    // False while a topic of this name is still being deleted.
    await until(() => admin.createTopics({ topics: created, waitForLeaders: false }).catch(unlessUnderWay));
    await until(() => hasLeaders(admin, topic));
  }

  return {
    kafka,
    admin,
    brokers,
    produce,
    groupId: uniqueName,
    committed: (groupId, topic) => committedOffsets(admin, groupId, topic),
    endOffsets: (topic) => endOffsets(admin, topic),
    read: (topic) => readTopic(kafka, admin, topic),

    async createTopic(options) {
      const topic = uniqueName();
      await makeTopic(topic, options);
      return topic;
    },

    makeTopic,

    async remakeTopic(topic) {
      await admin.deleteTopics({ topics: [topic] });
      await makeTopic(topic);
      // The broker learns of it later than the controller: until then it adds messages to the old log, and drops them.
      await until(async () => (await endOffsets(admin, topic)).every((end) => end === 0));
    },

    async compact(topic, next) {
      // The segment that is written to is never compacted. A message that is late enough begins another.
      compactions += 1;
      await produce(topic, [{ partition: 0, ...next, timestamp: String(Date.now() + compactions * 60_000) }]);
      await vi.waitUntil(
        async () => {
          const messages = await readTopic(kafka, admin, topic);
          const partition = messages.filter((message) => message.partition === (next.partition ?? 0));
          const keys = partition.slice(0, -1).map(({ key }) => String(key));
          return new Set(keys).size === keys.length;
        },
        { timeout: 25_000, interval: 100 },
      );
    },

    consumer(config) {
      const sockets = trackSockets();
      const consumer = createKafkaClient(brokers, sockets.factory).consumer({
        groupId: uniqueName(),
        sessionTimeout: 6_000,
        rebalanceTimeout: 10_000,
        heartbeatInterval: 500,
        maxWaitTimeInMs: 100,
        ...config,
      });
      socketsOf.set(consumer, sockets);
      onTestFinished(() => consumer.disconnect());
      return consumer;
    },
    async reconnectable(consumer) {
      await socketsOf.get(consumer)?.closed();
    },
  };
}

/** The client's own wait ends with an error when a broker does not know the topic yet. */
async function hasLeaders(admin: Admin, topic: string): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    if (!topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) return false;
    // A broker can be named as leader before it knows that it is.
    await admin.fetchTopicOffsets(topic);
    return true;
  } catch {
    return false;
  }
}

function uniqueName(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}
