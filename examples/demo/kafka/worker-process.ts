import type { Consumer, ConsumerConfig } from 'kafkajs';
import type { Fulfiller } from '../fulfil.ts';
import { startWorkerProcess, type WorkerProcess } from '../worker-process.ts';
import { createClient } from './client.ts';
import { kafkaEnvironment, LONGEST_WAIT_MS, SESSION_TIMEOUT_MS } from './environment.ts';

export interface KafkaWorkerProcess extends WorkerProcess, Fulfiller {
  readonly consumer: Consumer;
  readonly consumerConfig: ConsumerConfig;
}

/** What the workers of both trials have in common. They have not joined the group yet. */
export async function startKafkaWorkerProcess(): Promise<KafkaWorkerProcess> {
  const started = startWorkerProcess();
  const { KAFKA_BROKERS, DEMO_TOPIC, DEMO_GROUP } = kafkaEnvironment();
  const consumerConfig: ConsumerConfig = {
    groupId: DEMO_GROUP,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: 500,
    maxWaitTimeInMs: 200,
  };
  const consumer = createClient(KAFKA_BROKERS).consumer(consumerConfig);
  let joins = 0;
  consumer.on(consumer.events.GROUP_JOIN, () => {
    void started.journal.disturbed(1);
    joins += 1;
    if (joins === 1) started.tellBegun();
  });
  started.onStop(() => consumer.disconnect());
  await consumer.connect();
  await consumer.subscribe({ topic: DEMO_TOPIC, fromBeginning: true });
  return { ...started, consumer, consumerConfig, longestWaitMs: LONGEST_WAIT_MS };
}
