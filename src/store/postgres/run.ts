import type { PostgresClient, PostgresQueries } from './client.ts';
import { sqlState, toStoreError } from './failure.ts';

export type Row = readonly (string | null)[];

const SERIALIZATION_FAILURE = '40001';

/**
 * Runs one statement of ours and gives its rows as text, by position.
 *
 * - Parameters are text, cast in the statement: nothing depends on the types that the client fetched or maps.
 * - Rows are read raw: column renaming, value transforms and custom parsers of the client do not reach them.
 * - `prepare: true` is only leave to prepare: a client made with `prepare: false` does not.
 * - Our statements are right under READ COMMITTED. Where the session's default is stricter, a race ends in 40001
 *   with nothing done, and the statement runs again at the level it was written for. Setting the level every time
 *   would cost every claim two more round trips.
 */
export async function run(
  sql: PostgresClient,
  statement: string,
  parameters: (string | null)[],
): Promise<Row[]> {
  try {
    return await query(sql, statement, parameters);
  } catch (error) {
    if (sqlState(error) !== SERIALIZATION_FAILURE) throw toStoreError(error);
  }
  try {
    let rows: Row[] = [];
    await sql.begin('isolation level read committed', async (transaction) => {
      rows = await query(transaction, statement, parameters);
    });
    return rows;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Runs one statement of ours in somebody's transaction. */
export async function runIn(
  transaction: PostgresQueries,
  statement: string,
  parameters: (string | null)[],
): Promise<Row[]> {
  try {
    return await query(transaction, statement, parameters);
  } catch (error) {
    throw toStoreError(error);
  }
}

async function query(sql: PostgresQueries, statement: string, parameters: (string | null)[]): Promise<Row[]> {
  const rows = await sql.unsafe(statement, parameters, { prepare: true }).raw();
  // Not row.map: a row transform of the client gets even raw rows, and may have made an object of the array.
  return rows.map((row) => Object.values(row).map((cell) => (cell === null ? null : cell.toString('utf8'))));
}
