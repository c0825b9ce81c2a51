import * as z from 'zod/mini';
import {
  type CommittingClient,
  hasMethods,
  lazily,
  parseOptions,
  satisfying,
} from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { rolledBackFirst } from './rolled-back-first.ts';
import { LateStatements, rejected } from './late-statements.ts';
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

/** What runs a query: a `Kysely`, or its `Transaction`. */
export interface KyselyQueryable {
  executeQuery(query: KyselyQuery): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A transaction, which has its plugins asked about each statement. */
export interface KyselyTransaction extends KyselyQueryable {
  withPlugin(plugin: {
    transformQuery<Node>(args: { readonly node: Node }): Node;
    transformResult<Result>(args: { readonly result: Result }): Promise<Result>;
  }): unknown;
}

/** The part of a `Kysely` that is used. */
export interface KyselyDatabase<Tx> extends KyselyQueryable {
  readonly isTransaction: boolean;
  transaction(): { execute<T>(work: (transaction: Tx) => Promise<T>): Promise<T> };
}

const clientSchema = lazily(() =>
  z.object({
    db: satisfying(
      (value) =>
        hasMethods(value, ['executeQuery', 'transaction']) &&
        (value as { isTransaction?: unknown }).isTransaction !== true,
      'a Kysely, not a transaction of it',
    ),
  }),
);

/**
 * A `Kysely` on a dialect for Postgres as the client of `createHandleOnce` and `migrate`. A transaction is a
 * `Transaction<DB>`.
 *
 * Statements are not prepared. With a pool of `pg` listen to the errors of its connections: Kysely does not, and one
 * that breaks in a transaction would end the process. Throws `InvalidOptionsError`, for a transaction too.
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
    ...queriesOf(db),
    begin: (work) =>
      db.transaction().execute((transaction) => {
        const late = new LateStatements();
        const queries = queriesOf(transaction);
        const copy = guarded(transaction, late);
        transactions.add(copy, late, queries);
        return rolledBackFirst(queries, () => late.after(() => work(copy)));
      }),
    in: queriesOf,
    lastIn: transactions.lastIn,
  };
  return client;
}

/** Kysely asks a plugin about each statement, but not about one that is compiled. */
function guarded<Tx extends KyselyTransaction>(transaction: Tx, late: LateStatements): Tx {
  const copy = transaction.withPlugin(refusing(late)) as Tx;
  const send = copy.executeQuery.bind(copy);
  copy.executeQuery = (...given) => {
    const refusal = late.refusal();
    return refusal === undefined ? send(...given) : rejected(refusal);
  };
  return copy;
}

function refusing(late: LateStatements): Parameters<KyselyTransaction['withPlugin']>[0] {
  return {
    transformQuery({ node }) {
      const refusal = late.refusal();
      if (refusal !== undefined) throw refusal;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
}

/** A `Kysely` may be a transaction by its type, a `Transaction` is. */
type NotTrue<Flag extends boolean> = boolean extends Flag ? unknown : never;

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
