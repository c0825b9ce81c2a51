import type { Admin, Kafka, ProducerRecord } from 'kafkajs';
import { vi } from 'vitest';
import { endOffsets } from './kafka-offsets.ts';

export type TransactionEnd = 'committed' | 'aborted';

/** Resolves when the transaction's markers are in the topic: the broker writes them after it has answered. */
export async function produceInTransaction(
  { kafka, admin, transactionalId }: { kafka: Kafka; admin: Admin; transactionalId: string },
  record: ProducerRecord,
  end: TransactionEnd,
): Promise<void> {
  const producer = kafka.producer({ transactionalId, maxInFlightRequests: 1 });
  await producer.connect();
  try {
    const transaction = await producer.transaction();
    const written = await transaction.send(record);
    const before = await endOffsets(admin, record.topic);
    await (end === 'committed' ? transaction.commit() : transaction.abort());
    await vi.waitUntil(
      async () => {
        const after = await endOffsets(admin, record.topic);
        return written.every(({ partition }) => after[partition] !== before[partition]);
      },
      { timeout: 10_000, interval: 20 },
    );
  } finally {
    await producer.disconnect();
  }
}
