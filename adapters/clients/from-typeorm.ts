import * as z from 'zod/mini';
import {
  type CommittingClient,
  hasMethods,
  lazily,
  parseOptions,
  satisfying,
} from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { EndedByTypeOrm, type TypeOrmRunner } from './ended-by-typeorm.ts';
import { textRows } from './text-rows.ts';

/** What runs a query: a `DataSource`, or the `EntityManager` of a transaction. */
export interface TypeOrmQueryable {
  query(statement: string, parameters?: (string | null)[]): Promise<unknown>;
}

/** A transaction. All that it sends asks its runner for the connection, TypeORM's COMMIT and ROLLBACK too. */
export interface TypeOrmTransaction extends TypeOrmQueryable {
  readonly queryRunner?: TypeOrmRunner | undefined;
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
  const transactions = new WeakMap<object, EndedByTypeOrm>();
  const client: CommittingClient<Tx> = {
    ...queriesOf(dataSource),
    async begin(work) {
      let begun: EndedByTypeOrm | undefined;
      const { working } = await dataSource
        .transaction(async (manager) => {
          begun = await EndedByTypeOrm.on(manager.queryRunner as TypeOrmRunner);
          transactions.set(manager, begun);
          return await begun.run(() => work(manager));
        })
        .catch(async (error: unknown) => {
          await begun?.giveUp(error);
          throw error;
        });
      return await working;
    },
    in: queriesOf,
    lastIn: (transaction) => (transactions.get(transaction) as EndedByTypeOrm).settle,
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
