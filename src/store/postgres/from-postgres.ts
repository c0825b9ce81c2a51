import type { PostgresClient, PostgresQueries } from './client.ts';
import type { DatabaseClient, DatabaseQueries, DatabaseRow } from './database-client.ts';

/** A `postgres` client as a database client. */
export function fromPostgres<Tx>(sql: PostgresClient<Tx>): DatabaseClient<Tx> {
  return {
    ...queriesOf(sql),
    begin: (work) => begin(sql, work),
    // The transactions of this client are its queries, whatever else its types call them.
    in: (transaction) => queriesOf(transaction as PostgresQueries),
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

async function begin<Tx, T>(sql: PostgresClient<Tx>, work: (transaction: Tx) => Promise<T>): Promise<T> {
  let done: { readonly value: T } | undefined;
  // The client's own promise unwraps arrays of promises: the value must not pass through it.
  await sql.begin('', async (transaction) => {
    done = { value: await work(transaction) };
  });
  return (done as unknown as { readonly value: T }).value;
}
