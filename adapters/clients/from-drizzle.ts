import * as z from 'zod/mini';
import {
  type CommittingClient,
  hasMethods,
  lazily,
  parseOptions,
  satisfying,
  toDatabaseClient,
} from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries, SqlClient } from '../../src/index.ts';
import { guardedConnection } from './guarded-connection.ts';
import { LateStatements } from './late-statements.ts';
import { whileItWorks } from './pg-connection.ts';
import { onOneConnection, type PgConnection, type PgPool } from './pg-pool.ts';
import { pgStatements } from './pg-query.ts';
import { textRows } from './text-rows.ts';
import { Transactions } from './transactions.ts';

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

/** What runs the transactions of a database over a client of its driver. It is not in the types of Drizzle. */
interface Session<Tx, Client = unknown> {
  readonly client: Client;
  transaction<T>(work: (transaction: Tx) => Promise<T>): Promise<T>;
}

/** A client of `postgres`, as `createHandleOnce` takes it. */
type PostgresJs = Exclude<SqlClient, DatabaseClient>;

const clientSchema = lazily(() =>
  z.object({
    db: satisfying(
      (value) => faultOf(value) === undefined,
      (value) => faultOf(value) as string,
    ),
  }),
);

function faultOf(db: unknown): string | undefined {
  if (!isDatabase(db)) return 'a Drizzle database, not one of its transactions';
  if (isOnOneConnection(db)) return ONE_CONNECTION;
  return canBeGuarded(db) ? undefined : UNKNOWN_SESSION;
}

const ONE_CONNECTION =
  'a Drizzle database over a Pool, not over a single connection, on which all would run in one transaction: ' +
  'drizzle(new pg.Pool({ connectionString })) (for one connection use a Pool of one)';

const UNKNOWN_SESSION =
  'a Drizzle database whose transactions can be guarded: this version of Drizzle does not expose the client of its ' +
  'driver as 0.45 does. Use drizzle-orm 0.45';

function isDatabase(value: unknown): boolean {
  return hasMethods(value, ['execute', 'transaction']) && !hasMethods(value, ['rollback']);
}

function isOnOneConnection(db: unknown): boolean {
  const { $client, session } = db as { $client?: unknown; session?: { client?: unknown } };
  return [$client, session?.client].some(
    (client) => hasMethods(client, ['query', 'connect']) && !isPgPool(client),
  );
}

function canBeGuarded(db: unknown): boolean {
  const { $client, session } = db as { $client?: unknown; session?: unknown };
  const isOurs = (client: unknown): boolean => isPostgresJs(client) || isPgPool(client);
  return !isOurs($client) || (isSession(session) && isOurs(session.client));
}

/**
 * A Drizzle database on a driver for Postgres that has transactions, such as `node-postgres` and `postgres-js`, as the
 * client of `createHandleOnce` and `migrate`. A transaction is the `tx` of `db.transaction`.
 *
 * Statements are not prepared: Drizzle has no way to ask for it. Throws `InvalidOptionsError`, for a transaction and a
 * single `Client` too, and for a version of Drizzle that does not show its client.
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
  const client: CommittingClient<Tx> = { ...queriesOf(db), in: queriesOf, ...transactionsOf(db) };
  return client;
}

/** How transactions begin and end. */
type Transacting<Tx> = Pick<CommittingClient<Tx>, 'begin' | 'lastIn' | 'sendsCommit'>;

function transactionsOf<Tx>(db: DrizzleDatabase<Tx>): Transacting<Tx> {
  const { session } = db as { readonly session?: unknown };
  if (isSession<Tx>(session) && isPostgresJs(session.client)) return onPostgresJs(session, session.client);
  if (isSession<Tx>(session) && isPgPool(session.client)) return onPg(session, session.client);
  return { begin: (work) => db.transaction(work) };
}

/** The transaction of `postgres` ends before its work when the connection breaks, and sends what comes after. */
function onPostgresJs<Tx>(session: Session<Tx>, sql: PostgresJs): Transacting<Tx> {
  const client = toDatabaseClient(sql);
  const begun = new WeakMap<object, unknown>();
  return {
    sendsCommit: client.sendsCommit,
    begin(work, onBroken) {
      let own: unknown;
      const begin = (run: (transaction: unknown) => Promise<unknown>) =>
        client.begin((transaction) => {
          own = transaction;
          return run(transaction);
        }, onBroken);
      return over({ begin }, session).transaction((transaction) => {
        begun.set(transaction as object, own);
        return work(transaction);
      });
    },
    lastIn(transaction) {
      const own = begun.get(transaction as object);
      return client.lastIn?.(own) ?? client.in(own);
    },
  };
}

/** Drizzle keeps a connection whose BEGIN failed, and gives one back whose ROLLBACK failed. */
function onPg<Tx>(session: Session<Tx>, pool: PgPool<PgConnection>): Transacting<Tx> {
  const onConnection = pgStatements(false);
  const transactions = new Transactions<Tx>();
  return {
    begin: (work, onBroken) =>
      onOneConnection(pool, (connection) => {
        const late = new LateStatements();
        const begun = over(guardedConnection(connection, late), session).transaction((transaction) => {
          transactions.add(transaction, late, onConnection(connection));
          return whileItWorks(connection, () => late.after(() => work(transaction)), onBroken);
        });
        return begun.finally(() => {
          late.over();
        });
      }),
    lastIn: transactions.lastIn,
  };
}

function over<Tx>(client: object, session: Session<Tx>): Session<Tx> {
  return Object.create(session, { client: { value: client } }) as Session<Tx>;
}

function isSession<Tx>(value: unknown): value is Session<Tx> {
  return hasMethods(value, ['transaction']);
}

function isPostgresJs(client: unknown): client is PostgresJs {
  return hasMethods(client, ['unsafe', 'begin']);
}

function isPgPool(client: unknown): client is PgPool<PgConnection> {
  return hasMethods(client, ['query', 'connect']) && 'totalCount' in client;
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
