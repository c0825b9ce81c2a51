import { Kafka, logLevel } from 'kafkajs';
import { built } from '../built.ts';
import { connect } from '../database.ts';
import { COMMIT_INTERVAL_MS, IN_FLIGHT, type Start } from './course.ts';

export const start: Start = async (course, work) => {
  const { way, brokers, topic, partitions, groupId, databaseUrl } = course;
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 50 });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  if (way === 'bare') {
    await consumer.run({
      partitionsConsumedConcurrently: partitions,
      autoCommitInterval: COMMIT_INTERVAL_MS,
      eachMessage: ({ message }) => work(message),
    });
    return { stop: () => consumer.disconnect() };
  }
  const { createHandleOnce } = await built.core();
  const { onceEachKafkaMessage } = await built.kafka();
  const sql = connect(databaseUrl);
  const options = { consumer, groupId, fromBeginning: true, onFailed: 'acknowledge', ordering: way } as const;
  const concurrency = way === 'key' ? IN_FLIGHT : partitions;
  const handleOnce = createHandleOnce({ sql, scope: `bench-${way}` });
  await consumer.run(
    onceEachKafkaMessage({ ...options, handleOnce, concurrency }, ({ message }) => work(message)),
  );
  return {
    async stop() {
      await consumer.disconnect();
      await sql.end();
    },
  };
};
