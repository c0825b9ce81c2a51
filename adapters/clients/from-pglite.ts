import * as z from 'zod/mini';
import { type CommittingClient, isError, lazily, parseOptions, withMethods } from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { guardedObject, LateStatements } from './late-statements.ts';
import { textRows } from './text-rows.ts';
import { Transactions } from './transactions.ts';

/** What runs a query: a `PGlite`, or its `Transaction`. */
export interface PgliteQueryable {
  query(
    statement: string,
    parameters: (string | null)[],
    options: { rowMode: 'array' },
  ): Promise<{ rows: unknown[] }>;
  exec(statements: string): Promise<unknown>;
}

/** The part of a `PGlite` that is used. */
export interface Pglite<Tx> extends PgliteQueryable {
  transaction<T>(work: (transaction: Tx) => Promise<T>): Promise<T>;
}

const clientSchema = lazily(() =>
  z.object({
    db: withMethods<object>(['query', 'exec', 'transaction'], 'a PGlite, not one of its transactions'),
  }),
);

/**
 * A `PGlite` as the client of `createHandleOnce` and `migrate`, for trials and unit tests: it is a database in one
 * process with one connection. A transaction is its `Transaction`.
 *
 * While a handler runs in a transaction everything else waits, heartbeats too: it must end within the lease. Throws
 * `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * import { PGlite } from '@electric-sql/pglite';
 * import { createHandleOnce, migrate } from 'handle-once';
 * import { fromPglite } from 'handle-once/clients';
 *
 * const sql = fromPglite(new PGlite());
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * ```
 */
export function fromPglite<Tx extends PgliteQueryable>(db: Pglite<Tx>): DatabaseClient<Tx> {
  parseOptions('fromPglite', clientSchema(), { db });
  const transactions = new Transactions<Tx>();
  const client: CommittingClient<Tx> = {
    ...queriesOf(db),
    begin: (work) =>
      db.transaction((transaction) => {
        const late = new LateStatements();
        // PGlite before 0.5 sends what comes after its work has thrown, alone or in the transaction of another caller.
        const ofHandler = guardedObject(transaction, late);
        transactions.add(ofHandler, late, queriesOf(transaction));
        return late.after(() => work(ofHandler));
      }),
    in: queriesOf,
    lastIn: transactions.lastIn,
  };
  return client;
}

function queriesOf(on: PgliteQueryable): DatabaseQueries {
  return {
    async query(statement, parameters) {
      try {
        const { rows } = await on.query(statement, parameters, { rowMode: 'array' });
        return textRows(rows as object[]);
      } catch (error) {
        throw withoutParameters(error);
      }
    },
    execute: (statements) => on.exec(statements),
  };
}

/** PGlite puts what was sent on its errors, and no error of ours may hold a payload. */
function withoutParameters(error: unknown): unknown {
  if (isError(error)) Reflect.deleteProperty(error, 'params');
  return error;
}
