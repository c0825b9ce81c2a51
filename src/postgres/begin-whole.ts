import type { DatabaseClient } from './database-client.ts';
import { endOf, type Ended, valueOf } from './ended.ts';

/**
 * Begins a transaction that counts as ended only when its work has ended too: until then the record is not released,
 * and no second handler runs.
 *
 * A library can end a transaction before its work has ended: when the connection breaks, or where the work itself rolls
 * back or commits. Where it throws then, `onBroken` is called.
 */
export async function beginWhole<Tx, T>(
  client: DatabaseClient<Tx>,
  work: (transaction: Tx) => Promise<T>,
  onBroken: ((error: unknown) => void) | undefined,
): Promise<T> {
  const progress: { working?: Promise<Ended<T>>; hasEnded?: boolean } = {};
  const begun = await endOf(() =>
    client.begin(async (transaction) => {
      progress.working = endOf(() => work(transaction));
      const ended = await progress.working;
      progress.hasEnded = true;
      return valueOf(ended);
    }, onBroken),
  );
  if (progress.working === undefined || progress.hasEnded === true) return valueOf(begun);
  if ('error' in begun) onBroken?.(begun.error);
  const value = valueOf(await progress.working);
  valueOf(begun);
  return value;
}
