import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt } from '../api/attempt.ts';
import { LeaseLostError, StoreError } from '../api/errors.ts';
import type { Settlement } from '../store/store.ts';
import type { TransactionalStore } from '../store/transactional-store.ts';
import type { HeldClaim } from './held-claim.ts';
import { NotStartedError } from './not-started-error.ts';
import { settlementOf } from './attempt-ending.ts';

/** What a transaction was about to commit. */
export interface Written<R> {
  readonly value: R;
  readonly settlement: Settlement;
}

/** How far the work of an attempt has come. `transact` writes it; who abandons the call reads it. */
export interface Progress<R> {
  isStarted: boolean;
  /** Whether the call has been answered without it. */
  isAbandoned: boolean;
  written: Written<R> | undefined;
}

/** Thrown when the time of an attempt is over and its work is not: a connection can hang without end. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError';
}

/** For work whose signal has aborted to give up. */
const GRACE_MS = 1_000;
const MAX_CONFLICTS = 5;
const LONGEST_CONFLICT_WAIT_MS = 50;

/**
 * Runs work in a transaction that settles its record too.
 *
 * It does not wait for work that goes on after the lease or the timeout. Such work may still commit: its fenced settle
 * is in its transaction, so that it commits as a whole or not at all.
 */
export function transact<R, Tx>(
  store: TransactionalStore<Tx>,
  held: HeldClaim,
  progress: Progress<R>,
  work: (transaction: Tx) => Promise<R>,
): Promise<Written<R>> {
  return new Promise((resolve, reject) => {
    held.onOverdue(() => {
      setTimeout(() => {
        progress.isAbandoned = true;
        reject(new AbandonedError('the time of the attempt is over, and its transaction has not ended'));
      }, GRACE_MS).unref();
    });
    void retryOnConflict(store, held, progress, () =>
      store.begin(
        async (transaction) => {
          refuseLateStart(held, progress);
          progress.isStarted = true;
          progress.written = await runAndWrite(held, store, transaction, async () => {
            const value = await work(transaction);
            held.lease.setBeating(false);
            return value;
          });
          return progress.written;
        },
        (error) => {
          held.abort(connectionBroken(error));
        },
      ),
    ).then(resolve, reject);
  });
}

/** Throws when the lease ended while the transaction waited for a connection. */
function refuseLateStart({ lease }: HeldClaim, { isAbandoned }: Progress<unknown>): void {
  lease.check();
  if (isAbandoned || lease.isLost()) {
    throw new NotStartedError('the lease ended before the transaction got a connection');
  }
}

/** A transaction that lost a conflict (40001, 40P01) has done nothing: it runs again, within its attempt. */
async function retryOnConflict<R, Tx>(
  store: TransactionalStore<Tx>,
  held: HeldClaim,
  progress: Progress<R>,
  run: () => Promise<Written<R>>,
): Promise<Written<R>> {
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await run();
    } catch (error) {
      held.lease.setBeating(true);
      if (conflicts > MAX_CONFLICTS || !store.isConflict(error) || held.isAborted()) throw error;
      progress.written = undefined;
    }
    await sleep(Math.random() * LONGEST_CONFLICT_WAIT_MS * conflicts);
  }
}

/** Throws `LeaseLostError` when the record is another worker's: nothing of this attempt may be committed. */
export async function runAndWrite<R, Tx>(
  { engine, claim }: HeldClaim,
  store: TransactionalStore<Tx>,
  transaction: Tx,
  work: () => Promise<R>,
): Promise<Written<R>> {
  const { settings, backoff } = engine;
  const { key, token, failures } = claim;
  const startedAt = performance.now();
  const value = await work();
  const workMs = performance.now() - startedAt;
  const settlement = settlementOf({ kind: 'returned', value }, failures, settings, backoff);
  switch (await store.settleIn(transaction, { key, token, settlement }, settings.scope, workMs)) {
    case 'settled':
      return { value, settlement };
    case 'lost':
      throw new LeaseLostError('another worker has taken the message over');
    case 'no-transaction':
      throw new Error(
        'the handler ended its transaction itself, by a commit or a rollback of its own: nothing is on record. ' +
          'Leave the end of the transaction to handle-once, and throw to roll back',
      );
  }
}

function connectionBroken(cause: unknown): StoreError {
  return new StoreError(
    'the connection of the transaction has broken: nothing of this attempt is committed, and the message runs again',
    {
      retriable: true,
      cause,
    },
  );
}

export type Work<R, Extra extends readonly unknown[] = []> = (
  attempt: Attempt,
  ...extra: Extra
) => Promise<R>;
