import type { KafkaProducer } from './kafkajs-types.ts';

const ALL_REPLICAS = -1;

type Copy = Parameters<KafkaProducer['send']>[0]['messages'][number];

/** Produces a copy of a message. Resolves when all replicas have it: only then may its offset be committed. */
export async function produceCopy(producer: KafkaProducer, topic: string, copy: Copy): Promise<void> {
  await producer.send({ topic, acks: ALL_REPLICAS, messages: [copy] });
}
