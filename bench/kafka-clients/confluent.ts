import { built } from '../built.ts';
import { COMMIT_INTERVAL_MS, type Start, type Work } from './course.ts';
import { installed, startWorker } from './workers.ts';

interface Consumer {
  connect(): Promise<void>;
  subscribe(options: { topics: string[] }): Promise<void>;
  run(config: {
    partitionsConsumedConcurrently: number;
    eachMessage: (payload: { message: Parameters<Work>[0] }) => Promise<void>;
  }): Promise<void>;
  disconnect(): Promise<void>;
}

interface Package {
  readonly KafkaJS: { readonly Kafka: new (config: object) => { consumer(config: object): Consumer } };
}

const NOTHING = 0;

export const start: Start = async (course, work) => {
  const { way, brokers, topic, partitions, groupId } = course;
  const client = installed('@confluentinc/kafka-javascript') as Package;
  if (way !== 'bare') {
    const { createKafkaWorker } = await built.kafkaConfluent();
    const config = { 'bootstrap.servers': brokers.join(','), 'fetch.wait.max.ms': 50 };
    return await startWorker(course, work, { createKafkaWorker, client, config });
  }
  const kafka = new client.KafkaJS.Kafka({ kafkaJS: { brokers: [...brokers], logLevel: NOTHING } });
  const consumer = kafka.consumer({
    kafkaJS: { groupId, fromBeginning: true, autoCommitInterval: COMMIT_INTERVAL_MS },
    'fetch.wait.max.ms': 50,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic] });
  await consumer.run({
    partitionsConsumedConcurrently: partitions,
    eachMessage: ({ message }) => work(message),
  });
  return { stop: () => consumer.disconnect() };
};
