import type { KafkaProducer } from './kafkajs-types.ts';
import type { KafkaHeaders } from './log-client.ts';

const ALL_REPLICAS = -1;

type Copy = Parameters<KafkaProducer['send']>[0]['messages'][number];

/** A header can have no value, which kafkajs reads, and cannot write. */
function writable(headers: KafkaHeaders): KafkaHeaders {
  const filled = Object.entries(headers).map(([name, value]) => {
    const given: unknown = Array.isArray(value) ? value.map((one: unknown) => one ?? '') : (value ?? '');
    return [name, given as KafkaHeaders[string]] as const;
  });
  return Object.fromEntries(filled);
}

/** Produces a copy of a message. Resolves when all replicas have it: only then may its offset be committed. */
export async function produceCopy(producer: KafkaProducer, topic: string, copy: Copy): Promise<void> {
  await producer.send({
    topic,
    acks: ALL_REPLICAS,
    messages: [{ ...copy, headers: writable(copy.headers) }],
  });
}
