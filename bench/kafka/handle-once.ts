import type postgres from 'postgres';
import { built } from '../built.ts';
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
        ({ message }) => work(message),
      ),
  };
}
