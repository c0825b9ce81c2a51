import { isReadTimeout } from '../../src/adapter-kit.ts';
import type { DatabaseQueries } from '../../src/index.ts';

/**
 * Runs the work of a transaction. Where it throws, its library gets the error when a ROLLBACK is answered.
 *
 * After its `query_timeout` `pg` takes a statement that waits out of its queue. The ROLLBACK of a library, behind a
 * statement that is under way, would never be sent, and the next caller of the connection would be in this transaction.
 */
export async function rolledBackFirst<T>(
  { execute }: Pick<DatabaseQueries, 'execute'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    while (await isUnanswered(() => execute('rollback'))) continue;
    throw error;
  }
}

async function isUnanswered(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return false;
  } catch (error) {
    return isReadTimeout(error);
  }
}
