import type postgres from 'postgres';
import { builtPackage } from './built.ts';
import type { Contender } from './contender.ts';

export async function handleOnceContender<R>(sql: postgres.Sql, work: () => Promise<R>): Promise<Contender> {
  const { createHandleOnce, migrate } = await builtPackage();
  await migrate(sql);
  const handleOnce = createHandleOnce({ sql, scope: 'bench' });
  return {
    name: 'handleOnce',
    async handle(key, payload) {
      const outcome = await handleOnce(key, payload, work);
      if (outcome.state !== 'succeeded') throw new Error(`${key} is ${outcome.state}`);
    },
    async succeeded() {
      const [row] = await sql<[{ count: number }]>`
        select count(*)::int as count from handle_once.records where state = 'succeeded'`;
      return row.count;
    },
  };
}
