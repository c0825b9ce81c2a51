import type { Outcome } from '../words/outcome.ts';
import type { TransactionalStore } from '../store/transactional-store.ts';
import type { Claim, Engine } from './engine.ts';
import type { HeldClaim } from './held-claim.ts';
import { rolledBack } from '../postgres/rolled-back-error.ts';
import { conclude, settleBy } from './run-attempt.ts';
import { type Settled, settleUntilAnswered } from './settle-until-answered.ts';
import { type AttemptEnding, settlementOf, type Threw } from './attempt-ending.ts';
import type { Work } from './handler-work.ts';
import { AbandonedError, markAbandoned } from './abandoned.ts';
import { createProgress, type Progress, transact, type Written } from './attempt-in-transaction.ts';
import { delay } from '../lib/wait.ts';
import type { ExtendReply } from '../store/store.ts';
import type { Lease } from './lease.ts';

/**
 * Runs work in a new transaction that settles the record too: what the work wrote and the record commit together, or
 * neither does.
 *
 * The claim is made outside, so that an attempt whose worker dies is counted. When the work throws, the transaction is
 * rolled back, and the record is failed or released outside, too.
 */
export async function runInTransaction<R, Tx>(
  store: TransactionalStore<Tx>,
  held: HeldClaim,
  work: Work<R, [transaction: Tx]>,
): Promise<Outcome<R>> {
  const progress = createProgress<R>();
  const ending = unwrapped(
    await held.run((attempt) =>
      transact(store, held, progress, async (transaction) => [await work(attempt, transaction)]),
    ),
  );
  if (isAbandoned(ending)) return abandon(held, progress, ending);
  if (!progress.isStarted && ending.kind === 'threw') return await settleBy(held, notStarted(ending));
  const written = progress.written?.[0];
  if (written === undefined) return await settleBy(held, ending);
  if (ending.kind === 'returned') return await afterCommit(store, held, written, ending);
  if (store.isRolledBack(ending.error)) return await settleOutside(held, ending);
  return await afterLostCommit(held, written, ending);
}

/**
 * The ending with the handler's value alone. Not a promise, which would read `then` of the value: that can throw.
 */
function unwrapped<R>(ending: AttemptEnding<readonly Written<R>[]>): AttemptEnding<R> {
  return ending.kind === 'returned' ? { kind: 'returned', value: ending.value[0]?.value as R } : ending;
}

function isAbandoned(ending: AttemptEnding<unknown>): boolean {
  return ending.kind === 'threw' && ending.error instanceof AbandonedError;
}

/** Nothing has run: the transaction could not begin. */
export function notStarted({ error }: Threw): Threw {
  return { kind: 'threw', error, interrupted: true, retryAfterMs: NO_CONNECTION_WAIT_MS };
}

/** For the database to have a connection again: a redelivery at once would use up receive counts. */
const NO_CONNECTION_WAIT_MS = 1_000;

/** What never got a connection is taken back, uncounted; what has started may still commit. */
export function abandon<R>(
  held: HeldClaim,
  { isStarted }: Pick<Progress<R>, 'isStarted'>,
  ending: AttemptEnding<R>,
): Outcome<R> {
  const { engine, claim } = held;
  const { key, token } = claim;
  if (!isStarted) engine.records.takeBack({ key, token });
  const settlement = settlementOf(ending, claim, engine.settings, engine.backoff);
  return markAbandoned(conclude(held, ending, { reply: 'unrecorded', settlement }));
}

/** What the transaction wrote is undone: the lease is kept until the record is settled. */
function settleOutside<R>(held: HeldClaim, ending: AttemptEnding<R>): Promise<Outcome<R>> {
  held.lease.setBeating(true);
  return settleBy(held, ending);
}

function settledBy({ settlement }: Written<unknown>): Settled {
  return { reply: 'settled', settlement };
}

/**
 * Makes sure that a commit has committed. A statement that the handler did not wait for can fail after the settle: then
 * the server answers the COMMIT with a rollback, and most clients hide that. The check costs a round trip, which is
 * batched and writes nothing.
 */
async function afterCommit<R, Tx>(
  store: TransactionalStore<Tx>,
  held: HeldClaim,
  written: Written<R>,
  ending: AttemptEnding<R>,
): Promise<Outcome<R>> {
  if (store.tellsRollback) return conclude(held, ending, settledBy(written));
  const extended = await extendUntilAnswered(held.engine, held.claim, held.lease);
  // While the lease lasts the record can be settled by our own transaction alone.
  if (extended === 'lost' && held.lease.isCertain()) return conclude(held, ending, settledBy(written));
  return await afterLostCommit(held, written, { kind: 'threw', error: rolledBack(), interrupted: false });
}

/**
 * Finds out what became of a transaction that may have committed: its settle or its COMMIT got no answer, or the COMMIT
 * was answered with a rollback.
 *
 * Extending the lease waits for the end of a transaction that is still under way. It is sent alone, and without
 * heartbeats, since others in the batch would wait with it and lose their leases. If the record is still ours then,
 * nothing was committed. If it is not, the reply to the settle, sent again, says whether our own transaction did it.
 */
async function afterLostCommit<R>(
  held: HeldClaim,
  written: Written<R>,
  ending: AttemptEnding<R>,
): Promise<Outcome<R>> {
  const { engine, claim, lease } = held;
  const { settlement } = written;
  const extended = await extendUntilAnswered(engine, claim, lease, 'alone');
  if (extended === 'extended') return await settleUndone(held, ending);
  const returned: AttemptEnding<R> = { kind: 'returned', value: written.value };
  if (extended === 'unanswered') return conclude(held, returned, { reply: 'unrecorded', settlement });
  const settled = await settleUntilAnswered(engine, claim, settlement, lease);
  return conclude(held, settled.reply === 'settled' ? returned : ending, settled);
}

/**
 * Settles a record after its transaction has not committed. The settle that was sent with the COMMIT may still land
 * first: then this one changes nothing, and its reply is that of a settle sent again. After this one it is fenced off.
 */
export async function settleUndone<R>(held: HeldClaim, ending: AttemptEnding<R>): Promise<Outcome<R>> {
  const { engine, claim, lease } = held;
  lease.setBeating(true);
  const settlement = settlementOf(ending, claim, engine.settings, engine.backoff);
  const settled = await settleUntilAnswered(engine, claim, settlement, lease);
  if (settled.reply !== 'settled') return conclude(held, ending, settled);
  return conclude(held, ending, { ...settled, reply: await replyOnRecord(engine, claim) });
}

async function replyOnRecord(
  { records, events, settings }: Engine,
  { key }: Claim,
): Promise<Settled['reply']> {
  try {
    const found = await records.lookup?.(key);
    return found?.kind === 'succeeded' ? 'lost' : 'settled';
  } catch (error) {
    events.emit({ type: 'store-error', scope: settings.scope, key, verb: 'lookup', error });
    return 'unrecorded';
  }
}

const RESEND_DELAY_MS = 100;

/** Extends a lease again and again until the store answers or the lease has ended. `alone`: by its own statement. */
export async function extendUntilAnswered(
  { clock, records, events, settings }: Engine,
  { key, token }: Claim,
  lease: Lease,
  how?: 'alone',
): Promise<Exclude<ExtendReply, 'locked'> | 'unanswered'> {
  for (;;) {
    try {
      const reply = await records.extend({ key, token }, how);
      if (reply !== 'locked') return reply;
    } catch (error) {
      events.emit({ type: 'store-error', scope: settings.scope, key, verb: 'extend', error });
    }
    if (lease.leftMs() <= RESEND_DELAY_MS) return 'unanswered';
    await delay(clock, RESEND_DELAY_MS);
  }
}
