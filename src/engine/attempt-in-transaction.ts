import { LeaseLostError, StoreError } from '../words/errors.ts';
import { delay } from '../lib/wait.ts';
import type { Settlement } from '../store/store.ts';
import type { TransactionalStore } from '../store/transactional-store.ts';
import { AbandonedError } from './abandoned.ts';
import type { HeldClaim } from './held-claim.ts';
import { NotStartedError } from '../words/not-started-error.ts';
import { settlementOf } from './attempt-ending.ts';

/** What a transaction was about to commit. */
export interface Written<R> {
  readonly value: R;
  readonly settlement: Settlement;
}

/** How far the work of an attempt has come. Written by `transact`, and read where the call is abandoned. */
export interface Progress<R> {
  isStarted: boolean;
  /** Whether the call was answered before its end. */
  isAbandoned: boolean;
  written: Written<R> | undefined;
}

/** For work to stop after its signal has aborted. */
const GRACE_MS = 1_000;
const MAX_CONFLICTS = 5;
const LONGEST_CONFLICT_WAIT_MS = 50;

/**
 * Runs work in a transaction that settles its record too.
 *
 * It does not wait for work that continues after the lease or the timeout. Such work may still commit: its transaction
 * contains the fenced settle, and so commits as a whole or not at all.
 */
export function transact<R, Tx>(
  store: TransactionalStore<Tx>,
  held: HeldClaim,
  progress: Progress<R>,
  work: (transaction: Tx) => Promise<R>,
): Promise<Written<R>> {
  return new Promise((resolve, reject) => {
    const { clock, lease } = held;
    held.onOverdue(() => {
      // In doubt the record stays ours for as long, and is released if the work ends by then.
      const graceMs = lease.wasDoubted() ? Math.max(GRACE_MS, lease.leftMs()) : GRACE_MS;
      const giveUp = clock.setTimer(() => {
        progress.isAbandoned = true;
        reject(new AbandonedError('the time of the attempt is over, and its transaction has not ended'));
      }, graceMs);
      giveUp.unref();
    });
    void retryOnConflict(store, held, progress, () =>
      store.begin(
        async (transaction) => {
          await refuseLateStart(held, progress);
          progress.isStarted = true;
          const { written, workMs } = await runWork(held, () => work(transaction));
          // Before it is sent: its reply can be lost while the server still has the record locked.
          progress.written = written;
          await write(store, transaction, held, written, workMs);
          return written;
        },
        (error) => {
          held.abort(connectionBroken(error));
        },
      ),
    ).then(resolve, reject);
  });
}

/** Throws when the lease ended while the transaction waited, for a connection or for an answer. */
async function refuseLateStart({ lease }: HeldClaim, progress: Progress<unknown>): Promise<void> {
  await lease.whenKnown();
  if (progress.isAbandoned || !lease.isKept()) {
    throw new NotStartedError('the lease ended before the transaction was ready');
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
      if (conflicts > MAX_CONFLICTS || !store.isConflict(error)) throw error;
      held.lease.setBeating(true);
      if (await held.isOver()) throw error;
      progress.written = undefined;
    }
    await delay(held.clock, held.clock.random() * LONGEST_CONFLICT_WAIT_MS * conflicts);
  }
}

/** Runs work, and says how its record is to be settled. */
async function runWork<R>(
  { engine, claim }: HeldClaim,
  work: () => Promise<R>,
): Promise<{ written: Written<R>; workMs: number }> {
  const startedAt = engine.clock.monotonic();
  const value = await work();
  const workMs = engine.clock.monotonic() - startedAt;
  const { settings, backoff } = engine;
  const settlement = settlementOf({ kind: 'returned', value }, claim, settings, backoff);
  return { written: { value, settlement }, workMs };
}

/** Settles the record within the transaction of its work, in which nothing may be committed after this has thrown. */
async function write<Tx>(
  store: TransactionalStore<Tx>,
  transaction: Tx,
  { engine, claim, lease }: HeldClaim,
  { settlement }: Written<unknown>,
  workMs: number,
): Promise<void> {
  const { key, token } = claim;
  lease.setBeating(false);
  switch (await store.settleLast(transaction, { key, token, settlement }, engine.settings.scope, workMs)) {
    case 'settled':
      return;
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
