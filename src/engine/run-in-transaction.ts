import type { Attempt } from '../attempt.ts';
import { LeaseLostError } from '../errors.ts';
import type { Outcome } from '../outcome.ts';
import type { Settlement } from '../store/store.ts';
import type { TransactionalStore } from '../store/transactional-store.ts';
import type { Claim, Engine } from './engine.ts';
import { extendUntilAnswered } from './extend-until-answered.ts';
import type { Lease } from './lease.ts';
import { type AttemptLimits, conclude, underLease } from './run-attempt.ts';
import { settle, type Settled } from './settle.ts';
import { type Ending, settlementOf } from './settlement.ts';

/** What a transaction was about to commit. */
interface Written<R> {
  readonly value: R;
  readonly settlement: Settlement;
}

/**
 * Runs work in a transaction of its own that settles the record too: what the work wrote and the record commit
 * together, or neither does.
 *
 * The claim is made outside, so that an attempt whose worker dies is counted. When the work throws, the transaction is
 * rolled back, and the record is failed or released outside, too.
 */
export async function runInTransaction<R, Tx>(
  store: TransactionalStore<Tx>,
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  work: (attempt: Attempt, transaction: Tx) => Promise<R>,
): Promise<Outcome<R>> {
  let written: Written<R> | undefined;
  return underLease(
    engine,
    claim,
    limits,
    (attempt) =>
      store.begin(async (transaction) => {
        written = await runAndWrite(engine, store, claim, transaction, () => work(attempt, transaction));
        return written.value;
      }),
    (ending, lease) => {
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
export async function runWithin<R, Tx>(
  store: TransactionalStore<Tx>,
  transaction: Tx,
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  work: (attempt: Attempt) => Promise<R>,
): Promise<Outcome<R>> {
  let written: Written<R> | undefined;
  return underLease(
    engine,
    claim,
    limits,
    (attempt) =>
      store.savepoint(transaction, async () => {
        written = await runAndWrite(engine, store, claim, transaction, () => work(attempt));
        return written.value;
      }),
    (ending, lease) => {
      if (ending.kind === 'threw' || written === undefined)
        return settleOutside(engine, claim, ending, lease);
      return Promise.resolve(conclude(engine, claim, ending, settledBy(written), lease));
    },
  );
}

/** Throws `LeaseLostError` when the record is not ours any more: nothing of this attempt may be committed. */
async function runAndWrite<R, Tx>(
  engine: Engine,
  store: TransactionalStore<Tx>,
  { key, token, failures }: Claim,
  transaction: Tx,
  work: () => Promise<R>,
): Promise<Written<R>> {
  const { settings, backoff } = engine;
  const value = await work();
  const settlement = settlementOf({ kind: 'returned', value }, failures, settings, backoff);
  const reply = await store.settleIn(transaction, { key, token, settlement }, settings.scope);
  if (reply === 'lost') throw new LeaseLostError('another worker has taken the message over');
  return { value, settlement };
}

function settledBy({ settlement }: Written<unknown>): Settled {
  return { reply: 'settled', settlement };
}

async function settleOutside<R>(
  engine: Engine,
  claim: Claim,
  ending: Ending<R>,
  lease: Lease,
): Promise<Outcome<R>> {
  const settlement = settlementOf(ending, claim.failures, engine.settings, engine.backoff);
  const settled = await settle(engine, claim, settlement, lease);
  return conclude(engine, claim, ending, settled, lease);
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
