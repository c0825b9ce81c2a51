import type { DatabaseClient, DatabaseQueries } from './database-client.ts';
import { sqlState } from './error-layers.ts';
import { UNCERTAIN_CLASSES } from './failure.ts';

/** The level is a statement of its own, since libraries differ in how they begin a transaction at a level. */
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

/** What the server itself answered a COMMIT with is certain; without an answer it may have committed. */
export function isRolledBack(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !UNCERTAIN_CLASSES.has(state.slice(0, 2));
}

const CONFLICTS = new Set(['40001', '40P01']);

/** Whether the database gave a transaction up for the sake of another: it has done nothing, and can be run again. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && CONFLICTS.has(state);
}
