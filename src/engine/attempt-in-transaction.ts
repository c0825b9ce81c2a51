import { LeaseLostError, StoreError } from '../words/errors.ts';
import { delay } from '../lib/wait.ts';
import type { Settlement } from '../store/store.ts';
import type { TransactionalStore } from '../store/transactional-store.ts';
import { AbandonedError } from './abandoned.ts';
import type { HeldClaim } from './held-claim.ts';
import { NotStartedError } from '../words/not-started-error.ts';
import { settlementOf } from './attempt-ending.ts';
import type { Clock } from '../lib/clock.ts';

/** Attempts whose work is one transaction: mostly one. */
export interface TransactionGroup {
  readonly clock: Clock;
  readonly members: readonly HeldClaim[];
  /** Calls back when one of them has lost its lease, or when the work has taken longer than its timeout. */
  onOverdue(callback: () => void): void;
  /** Aborts the signal of the work. */
  abort(reason: unknown): void;
}

/** What a transaction was about to commit. */
export interface Written<R> {
  readonly value: R;
  readonly settlement: Settlement;
}

/** How far the work of a group has come. Written by `transact`, and read where the call is abandoned. */
export interface Progress<R> {
  isStarted: boolean;
  /** Whether the call was answered before its end. */
  isAbandoned: boolean;
  /** For each member. */
  written: readonly Written<R>[] | undefined;
}

export function createProgress<R>(): Progress<R> {
  return { isStarted: false, isAbandoned: false, written: undefined };
}

/** For work to stop after its signal has aborted. */
export const GRACE_MS = 1_000;
/** Of one attempt. */
export const MAX_CONFLICTS = 5;
const LONGEST_CONFLICT_WAIT_MS = 50;

/** The more conflicts there were, the longer, so that the same two do not meet again. */
export async function waitAfterConflict(clock: Clock, conflicts: number): Promise<void> {
  await delay(clock, clock.random() * LONGEST_CONFLICT_WAIT_MS * conflicts);
}

/**
 * Runs work in a transaction that settles its records too. The work gives a value for each member of the group.
 *
 * It does not wait for work that continues after a lease or the timeout. Such work may still commit: its transaction
 * contains the fenced settle, and so commits as a whole or not at all.
 */
export function transact<R, Tx>(
  store: TransactionalStore<Tx>,
  group: TransactionGroup,
  progress: Progress<R>,
  work: (transaction: Tx) => Promise<readonly R[]>,
): Promise<readonly Written<R>[]> {
  return new Promise((resolve, reject) => {
    const { clock, members } = group;
    group.onOverdue(() => {
      // In doubt the record stays ours for as long, and is released if the work ends by then.
      const doubted = members.filter(({ lease }) => lease.wasDoubted());
      const graceMs = Math.max(GRACE_MS, ...doubted.map(({ lease }) => lease.leftMs()));
      const giveUp = clock.setTimer(() => {
        progress.isAbandoned = true;
        reject(new AbandonedError('the time of the attempt is over, and its transaction has not ended'));
      }, graceMs);
      giveUp.unref();
    });
    void retryOnConflict(store, group, progress, () =>
      store.begin(
        async (transaction) => {
          await refuseLateStart(group, progress);
          progress.isStarted = true;
          const { written, workMs } = await runWork(group, () => work(transaction));
          // Before it is sent: its reply can be lost while the server still has the record locked.
          progress.written = written;
          await write(store, transaction, group, written, workMs);
          return written;
        },
        (error) => {
          group.abort(connectionBroken(error));
        },
      ),
    ).then(resolve, reject);
  });
}

/** Throws when a lease ended while the transaction waited, for a connection or for an answer. */
async function refuseLateStart({ members }: TransactionGroup, progress: Progress<unknown>): Promise<void> {
  for (const { lease } of members) await lease.whenKnown();
  if (progress.isAbandoned || !members.every(({ lease }) => lease.isKept())) {
    throw new NotStartedError('the lease ended before the transaction was ready');
  }
}

/** A transaction that lost a conflict (40001, 40P01) has done nothing: it runs again, within its attempt. */
async function retryOnConflict<R, Tx>(
  store: TransactionalStore<Tx>,
  group: TransactionGroup,
  progress: Progress<R>,
  run: () => Promise<readonly Written<R>[]>,
): Promise<readonly Written<R>[]> {
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await run();
    } catch (error) {
      // The messages of a batch meet again instead, with payloads that no run has changed.
      const [held, ...others] = group.members as readonly [HeldClaim, ...HeldClaim[]];
      if (others.length > 0 || conflicts > MAX_CONFLICTS || !store.isConflict(error)) throw error;
      held.lease.setBeating(true);
      await waitAfterConflict(group.clock, conflicts);
      if (await held.isOver()) throw error;
      progress.written = undefined;
    }
  }
}

/** Pauses or resumes the heartbeats of all members. */
export function setBeating({ members }: Pick<TransactionGroup, 'members'>, isBeating: boolean): void {
  for (const { lease } of members) lease.setBeating(isBeating);
}

/** Runs work, and says how its records are to be settled. */
async function runWork<R>(
  { clock, members }: TransactionGroup,
  work: () => Promise<readonly R[]>,
): Promise<{ written: readonly Written<R>[]; workMs: number }> {
  const startedAt = clock.monotonic();
  const values = await work();
  const workMs = clock.monotonic() - startedAt;
  const written = members.map(({ engine, claim }, index) => {
    const value = values[index] as R;
    const { settings, backoff } = engine;
    return { value, settlement: settlementOf({ kind: 'returned', value }, claim, settings, backoff) };
  });
  return { written, workMs };
}

/** Settles the records within the transaction of their work: nothing may be committed after this has thrown. */
async function write<Tx>(
  store: TransactionalStore<Tx>,
  transaction: Tx,
  group: TransactionGroup,
  written: readonly Written<unknown>[],
  workMs: number,
): Promise<void> {
  setBeating(group, false);
  const requests = group.members.map(({ claim: { key, token } }, index) => {
    const { settlement } = written[index] as Written<unknown>;
    return { key, token, settlement };
  });
  const [{ engine }] = group.members as readonly [HeldClaim];
  switch (await store.settleLast(transaction, requests, engine.settings.scope, workMs)) {
    case 'settled':
      return;
    case 'lost':
      throw new LeaseLostError('another worker has taken over the message');
    case 'no-transaction':
      throw new Error(
        'the handler committed or rolled back its transaction itself, so its outcome was not recorded. ' +
          'Remove that COMMIT or ROLLBACK; throw to roll back',
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
