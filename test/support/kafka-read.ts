import { randomUUID } from 'node:crypto';
import type { Admin, Kafka, KafkaMessage } from 'kafkajs';

export type ReadMessage = KafkaMessage & { readonly partition: number };

/** All messages that are in a topic now. Waits for transactions that have not ended. */
export async function readTopic(kafka: Kafka, admin: Admin, topic: string): Promise<ReadMessage[]> {
  const offsets = await admin.fetchTopicOffsets(topic);
  const unread = new Map(
    offsets
      .filter(({ low, high }) => low !== high)
      .map(({ partition, high }) => [partition, Number(high)] as const),
  );
  if (unread.size === 0) return [];

  const messages: ReadMessage[] = [];
  const consumer = kafka.consumer({ groupId: `read-${randomUUID()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const finished = new Promise<void>((resolve) => {
    // The last offset can be a transaction's marker, which is no message.
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { partition, lastOffset } }) => {
      if (Number(lastOffset) + 1 >= (unread.get(partition) ?? 0)) unread.delete(partition);
      if (unread.size === 0) resolve();
    });
  });
  try {
    await consumer.run({
      autoCommit: false,
      eachMessage({ partition, message }) {
        messages.push({ ...message, partition });
        return Promise.resolve();
      },
    });
    await finished;
  } finally {
    await consumer.disconnect();
  }
  return messages;
}
