import type { HandleOnce, HandleOnceOptions, Outcome } from 'handle-once';
import type postgres from 'postgres';
import { built } from '../built.ts';
import { costMeter } from '../costs.ts';
import type { Contender, Payload } from './contender.ts';
import type { Work } from './work.ts';

export const OURS = 'handleOnce';

/** This package, over the tables in a schema of the database. */
export function handleOnceContender(
  sql: postgres.Sql,
  work: Work,
  schema = 'handle_once',
): Promise<Contender> {
  return ownContender(OURS, { sql, work, schema }, (handleOnce, key, payload) =>
    handleOnce(key, payload, work.run),
  );
}

interface Place {
  readonly sql: postgres.Sql;
  readonly work: Contender['work'];
  readonly schema: string;
  /** Beside the defaults. */
  readonly options?: Pick<HandleOnceOptions, 'batching' | 'stats'>;
  /** Default: the package as it is now. */
  readonly core?: typeof built.core;
}

/** A way to call this package. */
export async function ownContender(
  name: string,
  { sql, work, schema, options = {}, core = built.core }: Place,
  call: (
    handleOnce: HandleOnce<postgres.TransactionSql>,
    key: string,
    payload: Payload,
  ) => Promise<Outcome<unknown>>,
): Promise<Contender> {
  const { createHandleOnce, migrate } = await core();
  await migrate(sql, { schema });
  const handleOnce = createHandleOnce({ sql, scope: 'bench', databaseSchema: schema, ...options });
  return {
    name,
    work,
    spent: await costMeter(sql),
    async handle(key, payload) {
      const outcome = await call(handleOnce, key, payload);
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
