import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PostgresClient } from './postgres-client.ts';

/** How the work of a transaction ended. */
export type Ended<T> = { readonly value: T } | { readonly error: unknown };

/** Our own view of the transactions of a client. */
export interface Transactions {
  /** Ended by a broken connection or a refused COMMIT, which `postgres` does not notice. */
  readonly ended: WeakSet<object>;
  /** The answers to COMMITs that were sent together with a last statement. */
  readonly commits: WeakMap<object, Promise<Ended<unknown>>>;
}

/** A transaction of ours. */
interface Begun<T> {
  readonly transaction: object;
  readonly working: Promise<Ended<T>>;
  /** Set when the work has ended. A COMMIT that is refused takes its place. */
  ended?: Ended<T>;
  /** Whether the client knows how the work ended, and so commits or rolls back. */
  isHandedBack?: boolean;
}

/**
 * Runs work in a transaction. After a broken connection or a refused COMMIT of ours nothing more is sent to it: no
 * statement of ours, no commit, no rollback.
 *
 * With `postgres` 3.4.9 a statement on a broken connection is an exception that no code can catch, and a transaction
 * whose work has thrown sends its rollback there. After a refused COMMIT the connection may have another transaction
 * already. A promise that never settles is not rolled back; the client has given it up.
 */
export async function beginPostgres<Tx, T>(
  sql: PostgresClient<Tx>,
  { ended, commits }: Transactions,
  work: (transaction: Tx) => Promise<T>,
  onBroken: ((error: unknown) => void) | undefined,
): Promise<T> {
  let begun: Begun<T> | undefined;
  let resolveAnswered = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    resolveAnswered = resolve;
  });
  const running = sql.begin('', async (transaction) => {
    begun = { transaction: transaction as object, working: endOf(() => work(transaction)) };
    begun.ended = await begun.working;
    const commit = 'value' in begun.ended ? await commits.get(begun.transaction) : undefined;
    if (commit !== undefined) {
      if ('error' in commit) {
        begun.ended = commit;
        ended.add(begun.transaction);
      }
      resolveAnswered();
    }
    // A statement fails on a broken connection before the transaction does.
    await nextTurn();
    if (ended.has(begun.transaction)) await new Promise(() => undefined);
    begun.isHandedBack = true;
    if ('error' in begun.ended) throw begun.ended.error;
  });
  const ending = running.catch((error: unknown) => {
    if (begun !== undefined) ended.add(begun.transaction);
    throw error;
  });
  try {
    // After our own COMMIT there is no need to wait for the one of `postgres`.
    await Promise.race([ending, answered]);
  } catch (error) {
    if (begun === undefined || begun.isHandedBack) throw error;
    if (begun.ended === undefined) onBroken?.(error);
    const end = await begun.working;
    throw 'error' in end ? end.error : error;
  }
  // The client's own promise unwraps arrays of promises: the value must not pass through it.
  const end = (begun as unknown as { readonly ended: Ended<T> }).ended;
  if ('error' in end) throw end.error;
  return end.value;
}

export async function endOf<T>(work: () => Promise<T>): Promise<Ended<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}
