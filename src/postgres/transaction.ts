import type { DatabaseClient, DatabaseQueries } from './database-client.ts';
import { sqlState } from './error-layers.ts';
import { UNCERTAIN_CLASSES } from './failure.ts';

/** The level is a separate statement, since libraries differ in how they begin a transaction at a level. */
export function beginReadCommitted<Tx, T>(
  client: DatabaseClient<Tx>,
  work: (queries: DatabaseQueries) => Promise<T>,
): Promise<T> {
  return client.begin(async (transaction) => {
    const queries = client.in(transaction);
    await queries.execute('set transaction isolation level read committed');
    return await work(queries);
  });
}

/** Whether the server itself refused the COMMIT. Without its answer the transaction may have committed. */
export function isRolledBack(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !UNCERTAIN_CLASSES.has(state.slice(0, 2));
}

const CONFLICTS = new Set(['40001', '40P01']);

/** Whether the database rolled a transaction back in favour of another: it can be run again. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && CONFLICTS.has(state);
}
