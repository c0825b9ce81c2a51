import type postgres from 'postgres';
import { built } from '../built.ts';
import { BATCH_SIZE } from './bare.ts';
import type { Contender } from './contender.ts';

export async function handleOnceContender(
  sql: postgres.Sql,
  ordering: 'partition' | 'key',
  concurrency: number,
): Promise<Contender> {
  const { createHandleOnce } = await built.core();
  const { onceEachKafkaMessage } = await built.kafka();
  const handleOnce = createHandleOnce({ sql, scope: `bench-${ordering}` });
  return {
    name: `handleOnce, '${ordering}', concurrency ${concurrency}`,
    runConfig: (consumer, groupId, work) =>
      onceEachKafkaMessage(
        {
          consumer,
          groupId,
          fromBeginning: true,
          handleOnce,
          ordering,
          concurrency,
          onFailed: 'acknowledge',
        },
        ({ message }) => work([message]),
      ),
  };
}

/** The handler gets the messages of a fetch, and one transaction has its INSERT and their records. */
export async function batchContender(sql: postgres.Sql, concurrency: number): Promise<Contender> {
  const { createHandleOnce } = await built.core();
  const { onceEachKafkaMessage } = await built.kafka();
  const handleOnce = createHandleOnce({ sql, scope: 'bench-batch' });
  return {
    name: `handleOnce, 'partition', one transaction for ${BATCH_SIZE}`,
    runConfig: (consumer, groupId, work) =>
      onceEachKafkaMessage(
        {
          ...{ consumer, groupId, fromBeginning: true, handleOnce, concurrency },
          inTransaction: true,
          batch: { size: BATCH_SIZE },
          onFailed: 'acknowledge',
        },
        (deliveries, _, tx) =>
          work(
            deliveries.map(({ message }) => message),
            tx,
          ),
      ),
  };
}
