import type { DatabaseClient, DatabaseRow } from '../postgres/database-client.ts';
import { toStoreError } from '../postgres/failure.ts';
import { limitedClient } from '../store/postgres/limited-client.ts';
import { LOCK_WAIT_MS } from '../store/postgres/statements/locked.ts';

/** Milliseconds to wait after a refusal, as of a role without the rights. What comes until then is dropped. */
export const REST_MS = 60_000;

/** A write takes milliseconds. The server ends it then; where a connection hangs it is given up after twice that. */
const STATEMENT_MS = 5_000;

/**
 * Sent first, as a separate statement: the server locks a table when it plans a statement, before a `set_config` in it
 * runs. In a transaction, since handlers use the same connection.
 */
const LIMITS =
  `select set_config('lock_timeout', '${LOCK_WAIT_MS}', true) as lock_timeout, ` +
  `set_config('statement_timeout', '${STATEMENT_MS}', true) as statement_timeout`;

/** Throws a `StoreError` or `SchemaError`. */
type WriteLog = (statement: string, parameters: string[]) => Promise<readonly DatabaseRow[]>;

/** Writes on the connections that handlers need: neither a lock nor a hanging connection blocks them for long. */
export function createLogWriter(client: DatabaseClient): WriteLog {
  const limited = limitedClient(client, 2 * STATEMENT_MS);
  return async (statement, parameters) => {
    try {
      return await limited.begin(async (transaction) => {
        const queries = limited.in(transaction);
        await queries.query(LIMITS, []);
        return await queries.query(statement, parameters);
      });
    } catch (error) {
      throw toStoreError(error, statement);
    }
  };
}
