import { randomUUID } from 'node:crypto';
import { built } from '../../built.ts';
import { payloadOf } from '../../core/measure.ts';
import type { Adapter } from './prepare.ts';

const TOPIC = 'bench';

/** The keys of a Kafka partition, read by the fake consumer. One key is a partition in strict order. */
export const kafkaKeys: Adapter = async ({ kafka }, handleOnce, handler) => {
  const { onceEachKafkaMessage } = await kafka();
  const { createFakeConsumer } = await built.testing();
  return async (messages, keys) => {
    const consumer = createFakeConsumer();
    await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
    // The group is part of the scope: to each run all messages are new.
    const options = { consumer, groupId: randomUUID(), fromBeginning: true, handleOnce } as const;
    await consumer.run(
      onceEachKafkaMessage(
        { ...options, ordering: 'key', concurrency: keys, onFailed: 'acknowledge' },
        handler,
      ),
    );
    for (let index = 0; index < messages; index += 1) {
      const key = `order-${index % keys}`;
      consumer.produce(TOPIC, { key, value: JSON.stringify(payloadOf(key)) });
    }
    return async () => {
      while (Number(consumer.committed(TOPIC) ?? 0) < messages) await consumer.poll();
      await consumer.stop();
    };
  };
};
