import type { Attempt } from '../attempt.ts';
import { childKey } from '../child-key.ts';
import type { HandleOnceEvent } from '../diagnostics.ts';
import { checkKey } from '../key.ts';
import type { Outcome } from '../outcome.ts';
import { AttemptSignal } from './attempt-signal.ts';
import { type Claim, type Engine, monotonicNow } from './engine.ts';
import { keepLease } from './lease.ts';
import { NotStartedError } from './not-started-error.ts';
import { recordedOutcome, unsettledOutcome } from './outcome-of.ts';
import { settle, type Settled } from './settle.ts';
import { type Ending, settlementOf } from './settlement.ts';

export interface AttemptLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
}

/** Runs the work of a claim under its lease, and settles the record by how it ended. */
export async function runAttempt<R>(
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  work: (attempt: Attempt) => Promise<R>,
): Promise<Outcome<R>> {
  const { ending, leaseEndsAt } = await underLease(engine, claim, limits, work);
  const settlement = settlementOf(ending, claim.attempts, engine.settings, engine.backoff);
  const settled = await settle(engine, claim, settlement, leaseEndsAt);
  return conclude(engine, claim, { ending, leaseEndsAt }, settled);
}

/** How the work ended, and until when the record is ours as far as we know. */
export interface Ended<R> {
  readonly ending: Ending<R>;
  readonly leaseEndsAt: number;
}

/** Runs work while the lease of its claim is kept. */
export async function underLease<R>(
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  work: (attempt: Attempt) => Promise<R>,
): Promise<Ended<R>> {
  const attemptSignal = new AttemptSignal(limits.signal, limits.timeoutMs);
  const lease = keepLease(engine, claim, (error) => {
    attemptSignal.abort(error);
  });
  let ending: Ending<R>;
  try {
    // The caller may have aborted while the claim was in the air.
    limits.signal?.throwIfAborted();
    const value = await work(createAttempt(engine, claim, attemptSignal));
    ending = { kind: 'returned', value };
  } catch (error) {
    const interrupted = attemptSignal.abortedByCaller || error instanceof NotStartedError;
    ending = { kind: 'threw', error, interrupted };
  } finally {
    lease.stop();
    attemptSignal.release();
  }
  return { ending, leaseEndsAt: lease.endsAt() };
}

/** Tells how an attempt ended, and makes its outcome. */
export function conclude<R>(
  engine: Engine,
  claim: Claim,
  { ending, leaseEndsAt }: Ended<R>,
  settled: Settled,
): Outcome<R> {
  const attempts = claim.attempts - (wasTakenBack(settled) ? 1 : 0);
  engine.events.emit(
    attemptEvent({ scope: engine.settings.scope, key: claim.key, attempts }, settled, ending),
  );
  switch (settled.reply) {
    case 'settled':
      return recordedOutcome(settled.settlement, ending, attempts);
    case 'lost':
      return unsettledOutcome('lease-lost', engine.settings.leaseMs, ending, attempts);
    case 'unrecorded':
      return unsettledOutcome('unrecorded', leaseEndsAt - monotonicNow(), ending, attempts);
  }
}

/** Whether the record does not count this attempt: the caller interrupted it. */
function wasTakenBack({ reply, settlement }: Settled): boolean {
  return reply === 'settled' && settlement.kind === 'release' && settlement.uncounted;
}

function createAttempt(engine: Engine, claim: Claim, attemptSignal: AttemptSignal): Attempt {
  const { scope } = engine.settings;
  const { key, attempts } = claim;
  return {
    key,
    scope,
    number: attempts,
    get signal() {
      return attemptSignal.signal;
    },
    childKey(name) {
      checkKey('childKey name', name);
      return childKey(scope, key, name);
    },
  };
}

function attemptEvent(
  message: { scope: string; key: string; attempts: number },
  { reply, settlement }: Settled,
  ending: Ending<unknown>,
): HandleOnceEvent {
  if (reply === 'lost') return { type: 'lease-lost', ...message };
  if (reply === 'unrecorded') return { type: 'unrecorded', ...message };
  const error = ending.kind === 'threw' ? ending.error : undefined;
  switch (settlement.kind) {
    case 'succeed': {
      const { resultOmitted } = settlement;
      return { type: 'succeeded', ...message, ...(resultOmitted === null ? {} : { resultOmitted }) };
    }
    case 'fail':
      return { type: 'failed', ...message, reason: settlement.reason, error };
    case 'release':
      return { type: 'released', ...message, retryAfterMs: settlement.retryAfterMs, error };
  }
}
