import * as z from 'zod/mini';
import { hasMethods, lazily, parseOptions, satisfying } from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { textRows } from './text-rows.ts';

/** What Drizzle takes as a query: an object that gives an `SQL`, which has the text and the parameters. */
export interface DrizzleQuery {
  getSQL(): { toQuery(config: never): { readonly sql: string; readonly params: unknown[] } };
}

/** What runs a query: a Drizzle database, or its transaction. */
export interface DrizzleQueryable {
  execute(query: DrizzleQuery | string): PromiseLike<unknown>;
}

/** The part of a Drizzle database that is used. A transaction has `rollback` as well. */
export interface DrizzleDatabase<Tx> extends DrizzleQueryable {
  readonly rollback?: never;
  transaction<T>(work: (transaction: Tx) => Promise<T>): Promise<T>;
}

const clientSchema = lazily(() =>
  z.object({
    db: satisfying(
      (value) => hasMethods(value, ['execute', 'transaction']) && !hasMethods(value, ['rollback']),
      'a Drizzle database, not a transaction of it',
    ),
  }),
);

/**
 * A Drizzle database on a driver for Postgres that has transactions, such as `node-postgres` and `postgres-js`, as the
 * client of `createHandleOnce` and `migrate`. A transaction is the `tx` of `db.transaction`.
 *
 * Statements are not prepared: Drizzle has no way to ask for it. Throws `InvalidOptionsError`, for a transaction too.
 *
 * @example
 * ```ts
 * import { drizzle } from 'drizzle-orm/node-postgres';
 * import { createHandleOnce, migrate } from 'handle-once';
 * import { fromDrizzle } from 'handle-once/clients';
 * import pg from 'pg';
 *
 * const pool = new pg.Pool({ connectionString: databaseUrl });
 * // Drizzle does not listen to the connections of its transactions: an error of one would end the process.
 * pool.on('error', console.error).on('connect', (connection) => connection.on('error', console.error));
 * const sql = fromDrizzle(drizzle(pool));
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * ```
 */
export function fromDrizzle<Tx extends DrizzleQueryable>(db: DrizzleDatabase<Tx>): DatabaseClient<Tx> {
  parseOptions('fromDrizzle', clientSchema(), { db });
  return { ...queriesOf(db), begin: (work) => db.transaction(work), in: queriesOf };
}

function queriesOf(on: DrizzleQueryable): DatabaseQueries {
  return {
    query: async (statement, parameters) =>
      textRows(rowsOf(await on.execute(toQuery(statement, parameters)))),
    execute: async (statements) => await on.execute(statements),
  };
}

/** Not with `sql` of Drizzle, which would have to be imported, and numbers the parameters again. */
function toQuery(sql: string, params: (string | null)[]): DrizzleQuery {
  return { getSQL: () => ({ toQuery: () => ({ sql, params }) }) };
}

/** Drizzle gives what its driver does: rows, or an object that has them. */
function rowsOf(result: unknown): object[] {
  return Array.isArray(result) ? (result as object[]) : (result as { rows: object[] }).rows;
}
