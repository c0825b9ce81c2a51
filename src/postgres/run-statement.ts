import type { DatabaseClient, DatabaseRow } from './database-client.ts';
import { sqlState } from './error-layers.ts';
import { toStoreError } from './failure.ts';
import type { Use } from './rights.ts';
import { beginReadCommitted } from './transaction.ts';

const SERIALIZATION_FAILURE = '40001';

/**
 * Runs one statement of ours and gives its rows as text, by position.
 *
 * Parameters are text, cast in the statement: nothing depends on the types that the client fetched or maps.
 *
 * Our statements are right under READ COMMITTED. Where the session's default is stricter, a race ends in 40001 with
 * nothing done, and the statement runs again at the level it was written for. Setting the level every time would cost
 * every claim more round trips.
 *
 * `use` is what the role is for: a refusal names the rights that it needs for that.
 */
export async function run(
  client: DatabaseClient,
  statement: string,
  parameters: (string | null)[],
  use: Use = 'handle',
): Promise<readonly DatabaseRow[]> {
  try {
    return await client.query(statement, parameters);
  } catch (error) {
    if (sqlState(error) !== SERIALIZATION_FAILURE) throw toStoreError(error, statement, use);
  }
  try {
    return await beginReadCommitted(client, (queries) => queries.query(statement, parameters));
  } catch (error) {
    throw toStoreError(error, statement, use);
  }
}
