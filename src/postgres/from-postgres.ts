import type { PostgresClient, PostgresQueries } from './postgres-client.ts';
import type { CommittingClient } from './committing-client.ts';
import type { DatabaseQueries, DatabaseRow } from './database-client.ts';
import { beginPostgres, type BegunTransaction } from './begin-postgres.ts';
import { endOf } from './ended.ts';
import { createPreparing } from './preparing.ts';
import { transactionEnded } from './transaction-gate.ts';

/** A `postgres` client as a database client. */
export function fromPostgres<Tx>(sql: PostgresClient<Tx>): CommittingClient<Tx> {
  const transactions = new WeakMap<object, BegunTransaction>();
  const preparing = createPreparing(true);
  return {
    ...queriesOf(sql, preparing),
    maxConnections: Number.isInteger(sql.options?.max) ? Number(sql.options?.max) : undefined,
    sendsCommit: true,
    begin: (work, onBroken) => beginPostgres(sql, transactions, work, onBroken),
    in: (transaction) => queriesOf(transaction as PostgresQueries, preparing),
    lastIn(transaction) {
      const begun = transactions.get(transaction as object) as BegunTransaction;
      return {
        async query(statement, parameters) {
          await begun.gate.pass();
          begun.gate.requireNoCopy();
          begun.gate.close(transactionEnded);
          // Both are sent the same way, and so in this order.
          const unguarded = queriesOf(begun.queries, preparing);
          const rows = unguarded.query(statement, parameters);
          begun.commit = endOf(() => unguarded.execute(COMMIT));
          // `postgres` 3.4.9 forgets what it has queued for a connection that breaks.
          await Promise.race([rows, begun.whenEnded()]);
          return await rows;
        },
      };
    },
  };
}

/**
 * A COMMIT of our own, since `postgres` waits for replies before it sends its own.
 *
 * - `select` fails in a transaction in which a statement has failed. A COMMIT would end it with a rollback there, and a
 *   statement that `postgres` sends again, since the server has lost its preparation, would then run outside of it.
 * - `and chain` leaves a transaction for the COMMIT of `postgres` to end: without one the server answers that with a
 *   warning, which `postgres` prints.
 */
const COMMIT = 'select; commit and chain';

/**
 * - Rows are read raw: column renaming, value transforms and custom parsers of the client do not reach them.
 * - `prepare: true` only allows to prepare: a client made with `prepare: false` does not.
 */
function queriesOf(sql: PostgresQueries, preparing: ReturnType<typeof createPreparing>): DatabaseQueries {
  return {
    async query(statement, parameters) {
      const rows = await preparing((prepare) => sql.unsafe(statement, parameters, { prepare }).raw());
      // Without empty places: after a statement that failed in the middle of its rows, `postgres` 3.4.9 puts the rows
      // of the next statement behind them.
      return rows.flatMap((row) => [toText(row)]);
    },
    execute: async (statements) => await sql.unsafe(statements).raw(),
  };
}

/** Not row.map: a row transform of the client gets even raw rows, and may have made an object of the array. */
function toText(row: readonly (Buffer | null)[]): DatabaseRow {
  return Object.values(row).map((cell) => (cell === null ? null : cell.toString('utf8')));
}
