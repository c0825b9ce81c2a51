import type { Outcome } from '../outcome.ts';
import type { TransactionalStore } from '../store/transactional-store.ts';
import type { Claim, Engine } from './engine.ts';
import { extendUntilAnswered } from './extend-until-answered.ts';
import type { Lease } from './lease.ts';
import { type AttemptLimits, conclude, underLease } from './run-attempt.ts';
import { settle, type Settled } from './settle.ts';
import { type Ending, settlementOf } from './settlement.ts';
import { AbandonedError, type Progress, runAndWrite, transact, type Work, type Written } from './transact.ts';

/**
 * Runs work in a transaction of its own that settles the record too: what the work wrote and the record commit
 * together, or neither does.
 *
 * The claim is made outside, so that an attempt whose worker dies is counted. When the work throws, the transaction is
 * rolled back, and the record is failed or released outside, too.
 */
export function runInTransaction<R, Tx>(
  store: TransactionalStore<Tx>,
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  work: Work<R, [transaction: Tx]>,
): Promise<Outcome<R>> {
  const progress: Progress<R> = { isStarted: false, isAbandoned: false, written: undefined };
  return underLease(
    engine,
    claim,
    limits,
    (attempt, held) =>
      transact(store, engine, claim, held, progress, (transaction) => work(attempt, transaction)),
    (ended, lease) => {
      const ending = unwrapped(ended);
      if (isAbandoned(ending)) return Promise.resolve(abandon(engine, claim, progress, ending, lease));
      const { written } = progress;
      if (written === undefined) return settleOutside(engine, claim, ending, lease);
      if (ending.kind === 'returned') {
        return Promise.resolve(conclude(engine, claim, ending, settledBy(written), lease));
      }
      if (store.isRolledBack(ending.error)) return settleOutside(engine, claim, ending, lease);
      return afterLostCommit(engine, claim, written, ending, lease);
    },
  );
}

/**
 * Runs work in a transaction that the caller commits. Work that throws is undone alone, and the record is failed or
 * released outside: the caller's transaction goes on.
 */
export function runWithin<R, Tx>(
  store: TransactionalStore<Tx>,
  transaction: Tx,
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  work: Work<R>,
): Promise<Outcome<R>> {
  return underLease(
    engine,
    claim,
    limits,
    (attempt) =>
      store.savepoint(transaction, () => runAndWrite(engine, store, claim, transaction, () => work(attempt))),
    (ended, lease) => {
      if (ended.kind === 'threw') return settleOutside(engine, claim, ended, lease);
      return Promise.resolve(conclude(engine, claim, unwrapped(ended), settledBy(ended.value), lease));
    },
  );
}

/** The value does not pass through promises once it is settled: each would ask it for its `then`, which can throw. */
function unwrapped<R>(ending: Ending<Written<R>>): Ending<R> {
  return ending.kind === 'returned' ? { kind: 'returned', value: ending.value.value } : ending;
}

function isAbandoned(ending: Ending<unknown>): boolean {
  return ending.kind === 'threw' && ending.error instanceof AbandonedError;
}

/** What never got a connection is given back, and does not count; what has started may still commit. */
function abandon<R>(
  engine: Engine,
  claim: Claim,
  { isStarted }: Progress<R>,
  ending: Ending<R>,
  lease: Lease,
): Outcome<R> {
  const { key, token } = claim;
  if (!isStarted) engine.records.takeBack({ key, token });
  const settlement = settlementOf(ending, claim.failures, engine.settings, engine.backoff);
  return conclude(engine, claim, ending, { reply: 'unrecorded', settlement }, lease);
}

function settledBy({ settlement }: Written<unknown>): Settled {
  return { reply: 'settled', settlement };
}

async function settleOutside<R>(
  engine: Engine,
  claim: Claim,
  ending: Ending<unknown>,
  lease: Lease,
): Promise<Outcome<R>> {
  const settlement = settlementOf(ending, claim.failures, engine.settings, engine.backoff);
  const settled = await settle(engine, claim, settlement, lease);
  return conclude<R>(engine, claim, ending as Ending<R>, settled, lease);
}

/**
 * Finds out what became of a transaction whose commit got no answer.
 *
 * To extend the lease waits for the transaction to end, if it is still on its way. If the record is still ours then,
 * nothing was committed. If it is not, a settle sent again tells whether that was our own.
 */
async function afterLostCommit<R>(
  engine: Engine,
  claim: Claim,
  written: Written<R>,
  ending: Ending<R>,
  lease: Lease,
): Promise<Outcome<R>> {
  const extended = await extendUntilAnswered(engine, claim, lease);
  if (extended === 'extended') return await settleOutside(engine, claim, ending, lease);
  const returned: Ending<R> = { kind: 'returned', value: written.value };
  if (extended === 'unanswered') {
    return conclude(engine, claim, returned, { reply: 'unrecorded', settlement: written.settlement }, lease);
  }
  const settled = await settle(engine, claim, written.settlement, lease);
  return conclude(engine, claim, settled.reply === 'settled' ? returned : ending, settled, lease);
}
