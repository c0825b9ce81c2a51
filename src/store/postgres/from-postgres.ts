import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PostgresClient, PostgresQueries } from './client.ts';
import type { DatabaseClient, DatabaseQueries, DatabaseRow } from './database-client.ts';

/** A `postgres` client as a database client. */
export function fromPostgres<Tx>(sql: PostgresClient<Tx>): DatabaseClient<Tx> {
  const ended = new WeakSet<object>();
  return {
    ...queriesOf(sql),
    begin: (work) => begin(sql, ended, work),
    in(transaction) {
      // The transactions of this client are its queries, whatever else its types call them.
      const queries = transaction as PostgresQueries;
      return queriesOf({
        unsafe(...query) {
          if (ended.has(queries)) throw connectionBroken();
          return queries.unsafe(...query);
        },
      });
    },
  };
}

/**
 * - Rows are read raw: column renaming, value transforms and custom parsers of the client do not reach them.
 * - `prepare: true` is only leave to prepare: a client made with `prepare: false` does not.
 */
function queriesOf(sql: PostgresQueries): DatabaseQueries {
  return {
    async query(statement, parameters) {
      const rows = await sql.unsafe(statement, parameters, { prepare: true }).raw();
      return rows.map(toText);
    },
    execute: async (statements) => await sql.unsafe(statements).raw(),
  };
}

/** Not row.map: a row transform of the client gets even raw rows, and may have made an object of the array. */
function toText(row: readonly (Buffer | null)[]): DatabaseRow {
  return Object.values(row).map((cell) => (cell === null ? null : cell.toString('utf8')));
}

/**
 * Runs work in a transaction, to which nothing is sent once it has ended by its connection: no statement of ours, no
 * commit, no rollback.
 *
 * With `postgres` 3.4.9 a statement on a broken connection is an exception that nobody can catch, and a transaction
 * whose work has thrown sends its rollback there. What never settles is not rolled back; the client has given it up.
 */
async function begin<Tx, T>(
  sql: PostgresClient<Tx>,
  ended: WeakSet<object>,
  work: (transaction: Tx) => Promise<T>,
): Promise<T> {
  let begun: PostgresQueries | undefined;
  // The client's own promise unwraps arrays of promises: the value must not pass through it.
  let done: { readonly value: T } | undefined;
  const hasEnded = (): boolean => begun !== undefined && ended.has(begun);
  const running = sql.begin('', async (transaction) => {
    begun = transaction as PostgresQueries;
    try {
      done = { value: await work(transaction) };
    } catch (error) {
      // A statement hears of the broken connection before the transaction does.
      await nextTurn();
      if (!hasEnded()) throw error;
    }
    if (hasEnded()) await new Promise(() => undefined);
  });
  try {
    await running;
  } catch (error) {
    if (begun !== undefined) ended.add(begun);
    throw error;
  }
  return (done as unknown as { readonly value: T }).value;
}

function connectionBroken(): Error {
  return Object.assign(new Error('the connection of the transaction has broken'), {
    code: 'CONNECTION_CLOSED',
  });
}
