import type { PostgresClient, PostgresQueries } from './client.ts';
import { sqlState } from './failure.ts';

export async function begin<Tx, T>(
  sql: PostgresClient<Tx>,
  work: (transaction: Tx) => Promise<T>,
): Promise<T> {
  let done: { readonly value: T } | undefined;
  // The client's own promise unwraps arrays of promises: the value must not pass through it.
  await sql.begin('', async (transaction) => {
    done = { value: await work(transaction) };
  });
  return (done as unknown as { readonly value: T }).value;
}

const NAME = 'handle_once';

export async function savepoint<T>(transaction: PostgresQueries, work: () => Promise<T>): Promise<T> {
  await transaction.unsafe(`savepoint ${NAME}`).raw();
  try {
    const value = await work();
    await transaction.unsafe(`release savepoint ${NAME}`).raw();
    return value;
  } catch (error) {
    await transaction.unsafe(`rollback to savepoint ${NAME}`).raw();
    throw error;
  }
}

/** Answers of a server that is being stopped, or of something between: the commit may have been made before. */
const UNCERTAIN_CLASSES = new Set(['08', '57']);

/** What the server itself answered a COMMIT with is certain; without an answer it may have committed. */
export function isRolledBack(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !UNCERTAIN_CLASSES.has(state.slice(0, 2));
}
