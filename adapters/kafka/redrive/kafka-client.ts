import type { BatchPayload, KafkaAdmin, KafkaConsumer, KafkaProducer } from '../log/kafkajs-types.ts';

/** A client of kafkajs. */
export interface KafkaConnection {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** A consumer of kafkajs, as far as a redrive reads with it. */
export interface DeadLetterConsumer
  extends Pick<KafkaConsumer, 'on' | 'commitOffsets' | 'seek'>, KafkaConnection {
  subscribe(subscription: { topics: string[]; fromBeginning: boolean }): Promise<void>;
  run(config: {
    autoCommit: false;
    eachBatchAutoResolve: false;
    eachBatch: (payload: BatchPayload) => Promise<void>;
  }): Promise<void>;
}

/** What `kafka.consumer(...)` of kafkajs is given here. Times are milliseconds. */
export interface DeadLetterConsumerConfig {
  groupId: string;
  sessionTimeout: number;
  heartbeatInterval: number;
  maxWaitTimeInMs: number;
}

/** An admin client of kafkajs, as far as a redrive asks it. */
export interface DeadLetterAdmin
  extends KafkaConnection, Pick<KafkaAdmin, 'fetchOffsets' | 'fetchTopicOffsets'> {
  /** Rejects where one of the topics does not exist. */
  fetchTopicMetadata(query: { topics: string[] }): Promise<unknown>;
}

/** What makes clients: `new Kafka({ brokers, ssl, sasl })` of kafkajs. */
export interface KafkaClients {
  /** Makes the consumer that reads the dead letters. */
  consumer(config: DeadLetterConsumerConfig): DeadLetterConsumer;
  /** Makes the producer that sends the copies. */
  producer(): KafkaProducer & KafkaConnection;
  /** Makes the admin client that checks which topics exist, and where the topic ends. */
  admin(): DeadLetterAdmin;
}

/** Connects a client for as long as it has work. */
export async function connected<Client extends KafkaConnection, T>(
  client: Client,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.disconnect();
  }
}
