import { setImmediate as nextTurn } from 'node:timers/promises';
import { endOf, type Ended, valueOf } from './ended.ts';
import { sqlState } from './error-layers.ts';
import { guardedTransaction } from './guarded-transaction.ts';
import type { PostgresClient, PostgresQueries } from './postgres-client.ts';
import { connectionBroken, TransactionGate, transactionEnded } from './transaction-gate.ts';

const IN_FAILED_TRANSACTION = '25P02';

/** A transaction of ours. */
export interface BegunTransaction {
  /** The transaction of `postgres`, without the guard of the one that handlers get. */
  readonly queries: PostgresQueries;
  readonly gate: TransactionGate;
  /** Rejects when the connection breaks. */
  readonly whenEnded: () => Promise<unknown>;
  /** The answer to the COMMIT that was sent behind the last statement. */
  commit?: Promise<Ended<unknown>>;
}

/** How far the work of a transaction has come. */
interface Progress<T> {
  readonly working: Promise<Ended<T>>;
  /** Set when the work has ended. A COMMIT that is refused takes its place. */
  ended?: Ended<T>;
}

/**
 * Runs work in a transaction. After a broken connection or a refused COMMIT of ours nothing more is sent to it: no
 * statement, no commit, no rollback.
 *
 * With `postgres` 3.4.9 a statement on a broken connection is an exception that no code can catch, and a transaction
 * whose work has thrown sends its rollback there. After a refused COMMIT the connection may have another transaction
 * already. A promise that never settles is not rolled back; the client has given it up.
 */
export async function beginPostgres<Tx, T>(
  sql: PostgresClient<Tx>,
  transactions: WeakMap<object, BegunTransaction>,
  work: (transaction: Tx) => Promise<T>,
  onBroken: ((error: unknown) => void) | undefined,
): Promise<T> {
  const gate = new TransactionGate();
  let progress: Progress<T> | undefined;
  let isLost = false;
  let resolveAnswered = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    resolveAnswered = resolve;
  });
  const running = sql.begin('', async (transaction) => {
    const begun: BegunTransaction = {
      queries: transaction as PostgresQueries,
      gate,
      whenEnded: () => ending,
    };
    const guarded = guardedTransaction(transaction, gate);
    transactions.set(guarded as object, begun);
    progress = { working: endOf(() => work(guarded)) };
    progress.ended = await progress.working;
    const commit = 'value' in progress.ended ? await begun.commit : undefined;
    if (commit !== undefined) {
      if ('error' in commit) {
        progress.ended = commit;
        isLost = true;
      }
      resolveAnswered();
    }
    if ('error' in progress.ended) await gate.endCopy();
    // A statement fails on a broken connection before the transaction does.
    await nextTurn();
    if (isLost) await new Promise(() => undefined);
    gate.close(transactionEnded);
    if ('error' in progress.ended) throw progress.ended.error;
  });
  const ending = running.catch((error: unknown) => {
    isLost = true;
    gate.break(() => connectionBroken(error));
    throw error;
  });
  try {
    // After our own COMMIT there is no need to wait for the one of `postgres`.
    await Promise.race([ending, answered]);
  } catch (error) {
    if (progress === undefined) throw error;
    if (progress.ended === undefined) onBroken?.(error);
    const ended = await progress.working;
    // Where a statement has failed, and the work with one after it, `postgres` throws the error of the first.
    if ('error' in ended && sqlState(ended.error) !== IN_FAILED_TRANSACTION) throw ended.error;
    throw error;
  }
  // The client's own promise unwraps arrays of promises: the value must not pass through it.
  return valueOf((progress as unknown as { readonly ended: Ended<T> }).ended);
}
