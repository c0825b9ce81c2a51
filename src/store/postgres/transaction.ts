import { InvalidOptionsError } from '../../api/errors.ts';
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

const NAME = 'handle_once';

/** Throws `InvalidOptionsError` where the work cannot run in the transaction. */
export async function savepoint<T>(transaction: DatabaseQueries, work: () => Promise<T>): Promise<T> {
  await beginSavepoint(transaction);
  try {
    const value = await work();
    await transaction.execute(`release savepoint ${NAME}`);
    return value;
  } catch (error) {
    // Where that fails nothing of the transaction can be committed any more: what the work threw says more.
    await transaction.execute(`rollback to savepoint ${NAME}`).catch(() => undefined);
    throw error;
  }
}

/**
 * The level must be what it is already: behind a savepoint the server refuses each other. That costs no round trip. A
 * snapshot that is older than the claim would not have its record, and the settle would find nothing.
 */
async function beginSavepoint(transaction: DatabaseQueries): Promise<void> {
  try {
    await transaction.execute(`savepoint ${NAME}; set transaction isolation level read committed`);
  } catch (error) {
    const state = sqlState(error) ?? '';
    const message = UNUSABLE[state];
    if (message === undefined) throw error;
    if (state === OTHER_LEVEL)
      await transaction.execute(`rollback to savepoint ${NAME}`).catch(() => undefined);
    throw new InvalidOptionsError('within', [{ field: 'transaction', message }]);
  }
}

const OTHER_LEVEL = '25001';

/** What the server refuses the savepoint with, and what the caller is told. */
const UNUSABLE: Readonly<Record<string, string>> = {
  [OTHER_LEVEL]: 'must be READ COMMITTED: begin it at that level, or use inTransaction',
  '25P01': 'has ended, or was never begun: call within inside of a transaction, and await it there',
};

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
