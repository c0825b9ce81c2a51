import * as z from 'zod/mini';
import {
  type CommittingClient,
  hasMethods,
  lazily,
  parseOptions,
  satisfying,
} from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries, StoreError } from '../../src/index.ts';
import { rolledBackFirst } from './rolled-back-first.ts';
import { guardedObject, LateStatements } from './late-statements.ts';
import { textRows } from './text-rows.ts';
import { Transactions } from './transactions.ts';

/** A query as `CompiledQuery.raw` of Kysely makes it. */
export interface KyselyQuery {
  readonly sql: string;
  readonly parameters: readonly (string | null)[];
  readonly query: {
    readonly kind: 'RawNode';
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly never[];
  };
  readonly queryId: { readonly queryId: string };
}

/** What runs a query: a `Kysely`, its `Transaction`, or a connection. */
export interface KyselyQueryable {
  executeQuery(query: KyselyQuery): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The same with the plugins of the user, which can change what is sent and what is answered. */
export interface KyselyWithPlugins extends KyselyQueryable {
  withoutPlugins(): KyselyQueryable;
}

/** Runs all statements of a transaction, and derives other executors from itself. */
export interface KyselyExecutor {
  provideConnection<T>(consumer: (connection: KyselyQueryable) => Promise<T>, ...rest: never[]): Promise<T>;
}

/** A transaction. */
export interface KyselyTransaction extends KyselyWithPlugins {
  getExecutor(): KyselyExecutor;
}

/** The part of a `Kysely` that is used. */
export interface KyselyDatabase<Tx> extends KyselyWithPlugins {
  readonly isTransaction: boolean;
  transaction(): { execute<T>(work: (transaction: Tx) => Promise<T>): Promise<T> };
}

const clientSchema = lazily(() =>
  z.object({
    db: satisfying(
      (value) =>
        hasMethods(value, ['executeQuery', 'transaction', 'withoutPlugins']) &&
        (value as { isTransaction?: unknown }).isTransaction !== true,
      'a Kysely, not one of its transactions',
    ),
  }),
);

/**
 * A `Kysely` on a dialect for Postgres as the client of `createHandleOnce` and `migrate`. A transaction is a
 * `Transaction<DB>`.
 *
 * Statements are not prepared. With a pool of `pg`, listen to the errors of its connections: Kysely does not, and a
 * connection that breaks in a transaction would end the process. Throws `InvalidOptionsError`, for a transaction too.
 *
 * @example
 * ```ts
 * import { createHandleOnce, migrate } from 'handle-once';
 * import { fromKysely } from 'handle-once/clients';
 * import { Kysely, PostgresDialect } from 'kysely';
 * import pg from 'pg';
 *
 * const pool = new pg.Pool({ connectionString: databaseUrl });
 * pool.on('connect', (connection) => connection.on('error', console.error));
 * const db = new Kysely<{ orders: { cents: number } }>({ dialect: new PostgresDialect({ pool }) });
 * const sql = fromKysely(db);
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * await handleOnce.inTransaction('order-1', { cents: 100 }, async (order, _, tx) => {
 *   await tx.insertInto('orders').values(order).execute();
 * });
 * ```
 */
export function fromKysely<Tx extends KyselyTransaction, IsTransaction extends boolean>(
  db: KyselyDatabase<Tx> & { readonly isTransaction: IsTransaction } & NotTrue<IsTransaction>,
): DatabaseClient<Tx> {
  parseOptions('fromKysely', clientSchema(), { db });
  const transactions = new Transactions<Tx>();
  const client: CommittingClient<Tx> = {
    ...withoutPlugins(db),
    begin: (work) =>
      db.transaction().execute(async (transaction) => {
        const executor = transaction.getExecutor();
        const queries = queriesOf(
          await executor.provideConnection((connection) => Promise.resolve(connection)),
        );
        const late = new LateStatements();
        guard(executor, late);
        transactions.add(transaction, late, queries);
        return await rolledBackFirst(queries, () => late.after(() => work(transaction)));
      }),
    in: withoutPlugins,
    lastIn: transactions.lastIn,
  };
  return client;
}

const DERIVING = [
  'withPlugin',
  'withPlugins',
  'withPluginAtFront',
  'withoutPlugins',
  'withConnectionProvider',
];

type Method = (...given: unknown[]) => unknown;

/** A stream is no promise. Kysely calls it, and all else, within one. */
function raise(refusal: StoreError): never {
  throw refusal;
}

/** All that a transaction sends, and what is derived from it, asks its executor for the connection. */
function guard(executor: KyselyExecutor, late: LateStatements): void {
  const provide = executor.provideConnection.bind(executor);
  executor.provideConnection = (consumer, ...rest) =>
    provide((connection) => consumer(guardedObject(connection, late, raise)), ...rest);
  const methods = executor as unknown as Record<string, Method | undefined>;
  for (const name of DERIVING) {
    const derive = methods[name]?.bind(executor);
    if (derive === undefined) continue;
    methods[name] = (...given) => {
      const derived = derive(...given) as KyselyExecutor;
      guard(derived, late);
      return derived;
    };
  }
}

/** A `Kysely` may be a transaction by its type, a `Transaction` is. */
type NotTrue<Flag extends boolean> = boolean extends Flag ? unknown : never;

function withoutPlugins(on: KyselyWithPlugins): DatabaseQueries {
  return queriesOf(on.withoutPlugins());
}

function queriesOf(on: KyselyQueryable): DatabaseQueries {
  const run = (sql: string, parameters: (string | null)[]) => on.executeQuery(compiled(sql, parameters));
  return {
    query: async (statement, parameters) => textRows((await run(statement, parameters)).rows as object[]),
    execute: (statements) => run(statements, []),
  };
}

function compiled(sql: string, parameters: (string | null)[]): KyselyQuery {
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] } as const;
  return { sql, parameters, query, queryId: { queryId: 'handle-once' } };
}
