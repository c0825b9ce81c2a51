import * as z from 'zod/mini';
import {
  type CommittingClient,
  hasMethods,
  lazily,
  parseOptions,
  satisfying,
} from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { textRows } from './text-rows.ts';
import { type TypeOrmRunner, TypeOrmTransaction } from './typeorm-transaction.ts';

/** What runs a query: a `DataSource`, or the `EntityManager` of a transaction. */
export interface TypeOrmQueryable {
  query(statement: string, parameters?: (string | null)[]): Promise<unknown>;
}

/** The part of a `DataSource` that is used. An `EntityManager` is not initialized. */
export interface TypeOrmDataSource<Tx> extends TypeOrmQueryable {
  initialize(): Promise<unknown>;
  /** Runs a transaction on its own connection, with the manager that sends to it. */
  createQueryRunner(): { readonly manager: Tx };
}

const clientSchema = lazily(() =>
  z.object({
    dataSource: satisfying(
      (value) => hasMethods(value, ['query', 'createQueryRunner', 'initialize']),
      'a DataSource, not an EntityManager',
    ),
  }),
);

/**
 * A `DataSource` of TypeORM on Postgres as the client of `createHandleOnce` and `migrate`. A transaction is an
 * `EntityManager`, as in `dataSource.transaction`.
 *
 * It must be initialized before it is used. Statements are not prepared: TypeORM has no way to ask for it. Throws
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
export function fromTypeOrm<Tx extends TypeOrmQueryable>(
  dataSource: TypeOrmDataSource<Tx>,
): DatabaseClient<Tx> {
  parseOptions('fromTypeOrm', clientSchema(), { dataSource });
  const transactions = new WeakMap<object, TypeOrmTransaction>();
  const client: CommittingClient<Tx> = {
    ...queriesOf(dataSource),
    tellsRollback: true,
    async begin(work) {
      const runner = dataSource.createQueryRunner();
      const transaction = await TypeOrmTransaction.on(runner as object as TypeOrmRunner);
      transactions.set(runner.manager, transaction);
      return await transaction.run(() => work(runner.manager));
    },
    in: queriesOf,
    lastIn: (transaction) => (transactions.get(transaction) as TypeOrmTransaction).settle,
  };
  return client;
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
