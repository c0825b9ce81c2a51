import type { Attempt } from '../words/attempt.ts';
import type { HandleOnceEvent } from '../reporting/events.ts';
import type { Emitted } from '../reporting/event-sink.ts';
import type { Outcome } from '../words/outcome.ts';
import { type Claim, endOf, type Engine } from './engine.ts';
import type { HeldClaim } from './held-claim.ts';
import { recordedOutcome, unsettledOutcome } from './outcome-of.ts';
import { settleUntilAnswered, type Settled } from './settle-until-answered.ts';
import { type AttemptEnding, isDeath, settlementOf } from './attempt-ending.ts';

/** Runs the work of a claim, and settles the record by how it ended. */
export async function runAttempt<R>(
  held: HeldClaim,
  work: (attempt: Attempt) => Promise<R>,
): Promise<Outcome<R>> {
  return await settleBy(held, await held.run(work));
}

/** Settles the record by how the work ended. */
export async function settleBy<R>(held: HeldClaim, ending: AttemptEnding<R>): Promise<Outcome<R>> {
  const { engine, claim, lease } = held;
  const settlement = settlementOf(ending, claim.failures, engine.settings, engine.backoff);
  if (isDeath(ending)) return conclude(held, ending, { reply: 'over', settlement });
  return conclude(held, ending, await settleUntilAnswered(engine, claim, settlement, lease));
}

/** Tells how an attempt ended, and makes its outcome. */
export function conclude<R>(
  { engine, claim, lease }: HeldClaim,
  ending: AttemptEnding<R>,
  settled: Settled,
): Outcome<R> {
  const attempts = claim.attempts - (isUncounted(settled) ? 1 : 0);
  engine.events.emit(attemptEvent(engine, claim, attempts, settled, ending));
  switch (settled.reply) {
    case 'settled':
      return recordedOutcome(settled.settlement, ending, attempts);
    case 'lost':
      return unsettledOutcome('lease-lost', engine.settings.leaseMs, ending, attempts);
    case 'over':
      return unsettledOutcome('lease-lost', lease.leftMs(), ending, attempts);
    case 'unrecorded':
      return unsettledOutcome('unrecorded', lease.leftMs(), ending, attempts);
  }
}

/** Whether the record does not count this attempt: the caller interrupted it, or it never started. */
function isUncounted({ reply, settlement }: Settled): boolean {
  return reply === 'settled' && settlement.kind === 'release' && settlement.uncounted;
}

function attemptEvent(
  engine: Engine,
  claim: Claim,
  attempts: number,
  { reply, settlement }: Settled,
  ending: AttemptEnding<unknown>,
): Emitted<HandleOnceEvent> {
  const error = ending.kind === 'threw' ? ending.error : undefined;
  if (reply !== 'settled') {
    const type = reply === 'unrecorded' ? reply : 'lease-lost';
    const end = { type, ...endOf(engine, claim, attempts, 'pending') } as const;
    return ending.kind === 'threw' ? { ...end, error } : end;
  }
  switch (settlement.kind) {
    case 'succeed': {
      const { resultOmitted } = settlement;
      const end = endOf(engine, claim, attempts, 'succeeded');
      return { type: 'succeeded', ...end, ...(resultOmitted === null ? {} : { resultOmitted }) };
    }
    case 'fail': {
      const { reason } = settlement;
      return { type: 'failed', ...endOf(engine, claim, attempts, 'failed'), reason, error };
    }
    case 'release': {
      const { retryAfterMs, uncounted } = settlement;
      const interrupted = uncounted ? { interrupted: true as const } : {};
      const end = endOf(engine, claim, attempts, 'pending');
      return { type: 'released', ...end, retryAfterMs, ...interrupted, error };
    }
  }
}
