import type postgres from 'postgres';
import { built } from '../built.ts';
import type { Contender } from './contender.ts';
import type { Work } from './work.ts';

export const OURS = 'handleOnce';

/** This package, over the tables in a schema of the database. */
export async function handleOnceContender(
  sql: postgres.Sql,
  work: Work,
  schema = 'handle_once',
): Promise<Contender> {
  const { createHandleOnce, migrate } = await built.core();
  await migrate(sql, { schema });
  const handleOnce = createHandleOnce({ sql, scope: 'bench', databaseSchema: schema });
  return {
    name: OURS,
    work,
    async handle(key, payload) {
      const outcome = await handleOnce(key, payload, work.run);
      if (outcome.state !== 'succeeded') throw new Error(`${key} is ${outcome.state}`);
    },
    async succeeded(keys) {
      const [{ count }] = await sql<[{ count: number }]>`
        select count(*)::int as count from ${sql(schema)}.records
        where scope = 'bench' and key = any(${[...keys]}) and state = 'succeeded'`;
      return count;
    },
  };
}
