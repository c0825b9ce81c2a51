import { isReadTimeout } from '../../src/adapter-kit.ts';

/**
 * Runs the work of a transaction. Where it throws, its library gets the error when all statements before are answered.
 *
 * After its `query_timeout` `pg` takes a statement that waits out of its queue. A ROLLBACK behind a statement that is
 * under way would never be sent, and the next caller of the connection would be in this transaction.
 */
export async function answeredFirst<T>(
  send: (statement: string) => PromiseLike<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    while (await isUnanswered(send)) continue;
    throw error;
  }
}

async function isUnanswered(send: (statement: string) => PromiseLike<unknown>): Promise<boolean> {
  try {
    await send('select');
    return false;
  } catch (error) {
    return isReadTimeout(error);
  }
}
