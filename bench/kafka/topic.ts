import { randomBytes } from 'node:crypto';
import { type Admin, type Kafka, Partitioners } from 'kafkajs';

const BATCH = 1_000;
const KEYS = 1_000;
const NOTE = 'x'.repeat(700);

export interface Topic {
  readonly name: string;
  readonly partitions: number;
  readonly messages: number;
}

/** A topic with as many messages in each partition. A message key is always in the same one. */
export async function fillTopic(
  kafka: Kafka,
  admin: Admin,
  partitions: number,
  messages: number,
): Promise<Topic> {
  const name = `bench-${randomBytes(4).toString('hex')}`;
  await admin.createTopics({ topics: [{ topic: name, numPartitions: partitions }] });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  for (let first = 0; first < messages; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, messages - first) }, (_, index) => {
      const id = first + index;
      const value = JSON.stringify({ orderId: id, cents: 4_200, note: NOTE });
      return { partition: id % partitions, key: `order-${id % KEYS}`, value };
    });
    await producer.send({ topic: name, messages: batch });
  }
  await producer.disconnect();
  return { name, partitions, messages };
}
