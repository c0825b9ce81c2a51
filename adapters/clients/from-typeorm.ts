import * as z from 'zod/mini';
import {
  type CommittingClient,
  hasMethods,
  lazily,
  parseOptions,
  satisfying,
} from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { closeIfUnanswered, type EndingConnection } from './guarded-connection.ts';
import { LateStatements, rejected } from './late-statements.ts';
import { textRows } from './text-rows.ts';
import { Transactions } from './transactions.ts';

/** What runs a query: a `DataSource`, or the `EntityManager` of a transaction. */
export interface TypeOrmQueryable {
  query(statement: string, parameters?: (string | null)[]): Promise<unknown>;
}

/** A transaction. All that it sends passes the `query` of its runner, TypeORM's COMMIT and ROLLBACK too. */
export interface TypeOrmTransaction extends TypeOrmQueryable {
  readonly queryRunner?:
    | {
        connect(): Promise<Pick<EndingConnection, 'end'>>;
        query(statement: string, ...rest: never[]): Promise<unknown>;
      }
    | undefined;
}

/** The part of a `DataSource` that is used. An `EntityManager` is not initialized. */
export interface TypeOrmDataSource<Tx> extends TypeOrmQueryable {
  initialize(): Promise<unknown>;
  transaction<T>(work: (manager: Tx) => Promise<T>): Promise<T>;
  /** Not called, but declared: what a transaction is, is read from the last overload. */
  transaction<T>(isolationLevel: 'READ COMMITTED', work: (manager: Tx) => Promise<T>): Promise<T>;
}

const clientSchema = lazily(() =>
  z.object({
    dataSource: satisfying(
      (value) => hasMethods(value, ['query', 'transaction', 'initialize']),
      'a DataSource, not an EntityManager',
    ),
  }),
);

/**
 * A `DataSource` of TypeORM on Postgres as the client of `createHandleOnce` and `migrate`. A transaction is the
 * `EntityManager` of `dataSource.transaction`.
 *
 * It has to be initialized before it is used. Statements are not prepared: TypeORM has no way to ask for it. Throws
 * `InvalidOptionsError`, for an `EntityManager` too, which may belong to a transaction.
 *
 * @example
 * ```ts
 * import { createHandleOnce, migrate } from 'handle-once';
 * import { fromTypeOrm } from 'handle-once/clients';
 * import { DataSource } from 'typeorm';
 *
 * const dataSource = await new DataSource({ type: 'postgres', url: databaseUrl }).initialize();
 * const sql = fromTypeOrm(dataSource);
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * ```
 */
export function fromTypeOrm<Tx extends TypeOrmTransaction>(
  dataSource: TypeOrmDataSource<Tx>,
): DatabaseClient<Tx> {
  parseOptions('fromTypeOrm', clientSchema(), { dataSource });
  const transactions = new Transactions<Tx>();
  const client: CommittingClient<Tx> = {
    ...queriesOf(dataSource),
    begin: (work) => dataSource.transaction((manager) => inGuarded(manager, transactions, work)),
    in: queriesOf,
    lastIn: transactions.lastIn,
  };
  return client;
}

/** What TypeORM sends in place of the end. */
const SAVEPOINT_END = /^(?:release|rollback to) savepoint typeorm_/i;

/**
 * Of a transaction with an open one in it TypeORM ends only the inner one, by its savepoint. So the end is sent by how
 * the work has ended.
 */
async function inGuarded<Tx extends TypeOrmTransaction, T>(
  manager: Tx,
  transactions: Transactions<Tx>,
  work: (manager: Tx) => Promise<T>,
): Promise<T> {
  const runner = manager.queryRunner as NonNullable<Tx['queryRunner']>;
  const connection = await runner.connect();
  const send = runner.query.bind(runner);
  const late = new LateStatements();
  transactions.add(manager, late, queriesOf({ query: send }));
  runner.query = async (statement, ...rest) => {
    const end = late.endBy(SAVEPOINT_END.test(statement) ? 'rollback' : statement);
    const refusal = end === undefined ? late.refusal() : undefined;
    if (refusal !== undefined) return await rejected(refusal);
    if (end === undefined) return await send(statement, ...rest);
    return await send(end.toUpperCase()).catch((error: unknown) => {
      closeIfUnanswered(connection, error);
      throw error;
    });
  };
  return await late.after(() => work(manager));
}

function queriesOf(on: TypeOrmQueryable): DatabaseQueries {
  return {
    query: async (statement, parameters) => textRows(rowsOf(await on.query(statement, parameters))),
    execute: (statements) => on.query(statements),
  };
}

/** Of an update TypeORM gives the rows, and how many there are. */
function rowsOf(result: unknown): object[] {
  const [first] = result as unknown[];
  return (Array.isArray(first) ? first : result) as object[];
}
