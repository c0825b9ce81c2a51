import * as z from 'zod/mini';
import { hasMethods, lazily, parseOptions, satisfying, toDatabaseClient } from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries, SqlClient } from '../../src/index.ts';
import { textRows } from './text-rows.ts';

/** What Drizzle takes as a query: what can give an `SQL`, of which it asks the text and the parameters. */
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

/** What runs the transactions of a database on `postgres`. It is not in the types of Drizzle. */
interface PostgresJsSession<Tx> {
  readonly client: PostgresJs;
  transaction<T>(work: (transaction: Tx) => Promise<T>): Promise<T>;
}

/** A client of `postgres`, as `createHandleOnce` takes it. */
type PostgresJs = Exclude<SqlClient, DatabaseClient>;

const clientSchema = lazily(() =>
  z.object({
    db: satisfying(
      (value) => isDatabase(value) && canBeGuarded(value),
      (value) => (isDatabase(value) ? UNKNOWN_SESSION : 'a Drizzle database, not a transaction of it'),
    ),
  }),
);

const UNKNOWN_SESSION =
  'a Drizzle database whose transactions can be guarded: on postgres-js this version of Drizzle does not show its ' +
  'client where 0.45 does. Use drizzle-orm/node-postgres, or drizzle-orm 0.45';

function isDatabase(value: unknown): boolean {
  return hasMethods(value, ['execute', 'transaction']) && !hasMethods(value, ['rollback']);
}

function canBeGuarded(db: unknown): boolean {
  return !isPostgresJs((db as { $client?: unknown }).$client) || sessionOf(db) !== undefined;
}

/**
 * A Drizzle database on a driver for Postgres that has transactions, such as `node-postgres` and `postgres-js`, as the
 * client of `createHandleOnce` and `migrate`. A transaction is the `tx` of `db.transaction`.
 *
 * Statements are not prepared: Drizzle has no way to ask for it. Throws `InvalidOptionsError`, for a transaction too,
 * and on `postgres-js` for a version of Drizzle that does not show its client.
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
  const session = sessionOf<Tx>(db);
  return {
    ...queriesOf(db),
    begin: session === undefined ? (work) => db.transaction(work) : guardedBegin(session),
    in: queriesOf,
  };
}

/**
 * Runs a transaction of Drizzle over one of ours: that of `postgres` ends before its work when the connection breaks,
 * and sends what comes after the break.
 */
function guardedBegin<Tx>(session: PostgresJsSession<Tx>): DatabaseClient<Tx>['begin'] {
  const client = toDatabaseClient(session.client);
  return (work, onBroken) => {
    const begin = (run: (transaction: unknown) => Promise<unknown>) => client.begin(run, onBroken);
    const guarded = Object.create(session, { client: { value: { begin } } }) as PostgresJsSession<Tx>;
    return guarded.transaction(work);
  };
}

function sessionOf<Tx>(db: unknown): PostgresJsSession<Tx> | undefined {
  const { session } = db as { session?: PostgresJsSession<Tx> };
  return hasMethods(session, ['transaction']) && isPostgresJs(session.client) ? session : undefined;
}

function isPostgresJs(client: unknown): boolean {
  return hasMethods(client, ['unsafe', 'begin']);
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
