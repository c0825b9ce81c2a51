import { createHandleOnce } from 'handle-once';
import { onceEachMessage } from 'handle-once/kafka';
import type postgres from 'postgres';
import type { Contender } from './contender.ts';

export function handleOnceContender(
  sql: postgres.Sql,
  ordering: 'partition' | 'key',
  concurrency: number,
): Contender {
  const handleOnce = createHandleOnce({ sql, scope: `bench-${ordering}` });
  return {
    name: `handleOnce, '${ordering}', concurrency ${concurrency}`,
    runConfig: (consumer, groupId, work) =>
      onceEachMessage({ consumer, groupId, handleOnce, ordering, concurrency }, ({ message }) =>
        work(message),
      ),
  };
}
