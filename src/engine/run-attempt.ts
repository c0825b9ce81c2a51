import type { Attempt } from '../words/attempt.ts';
import type { Outcome, Pending } from '../words/outcome.ts';
import { toStoredError } from '../payload/stored-error.ts';
import { type AttemptEnding, isDeath, settlementOf } from './attempt-ending.ts';
import { endOf } from './engine.ts';
import type { HeldClaim } from './held-claim.ts';
import { Steps } from './steps/steps.ts';
import { settleUntilAnswered, type Settled } from './settle-until-answered.ts';

/** Runs the work of a claim, and settles the record by how it ended. */
export async function runAttempt<R>(
  held: HeldClaim,
  work: (attempt: Attempt) => Promise<R>,
): Promise<Outcome<R>> {
  let steps: Steps | undefined;
  const ending = await held.run((attempt) => {
    attempt.step = (name, run) => (steps ??= new Steps(held, attempt)).step(name, run);
    return work(attempt);
  });
  const failed = steps === undefined ? undefined : await steps.end();
  if (failed === undefined || ending.kind === 'threw') return await settleBy(held, ending);
  const { reason, isDeath } = failed;
  const death = { kind: 'threw', error: reason, interrupted: false, isDeath: true } as const;
  return await settleBy(held, isDeath === true ? death : held.threw(reason));
}

/** Settles the record by how the work ended. */
export async function settleBy<R>(held: HeldClaim, ending: AttemptEnding<R>): Promise<Outcome<R>> {
  const { engine, claim, lease } = held;
  const settlement = settlementOf(ending, claim, engine.settings, engine.backoff);
  if (isDeath(ending)) return conclude(held, ending, { reply: 'over', settlement });
  return conclude(held, ending, await settleUntilAnswered(engine, claim, settlement, lease));
}

/** Emits how an attempt ended, and returns its outcome. */
export function conclude<R>(
  held: HeldClaim,
  ending: AttemptEnding<R>,
  { reply, settlement }: Settled,
): Outcome<R> {
  const { engine, claim, lease } = held;
  const { events, settings } = engine;
  const isOnRecord = reply === 'settled';
  // What its caller interrupted, what never started, and what its handler deferred, is not counted by the record.
  const isUncounted = isOnRecord && settlement.kind === 'release' && settlement.countsAs !== 'failure';
  const attempts = claim.attempts - (isUncounted ? 1 : 0);
  const error = ending.kind === 'threw' ? ending.error : undefined;
  if (!isOnRecord) {
    const reason = reply === 'unrecorded' ? reply : 'lease-lost';
    const end = { type: reason, ...endOfAttempt(held, attempts, 'pending') } as const;
    events.emit(ending.kind === 'threw' ? { ...end, error } : end);
    const leftMs = reply === 'lost' ? settings.leaseMs : lease.leftMs();
    return {
      state: 'pending',
      reason,
      retryAfterMs: Math.max(0, Math.ceil(leftMs)),
      attempts,
      ...thrownIn(ending),
    };
  }
  switch (settlement.kind) {
    case 'succeed': {
      const omitted = settlement.resultOmitted === null ? {} : { resultOmitted: settlement.resultOmitted };
      events.emit({ type: 'succeeded', ...endOfAttempt(held, attempts, 'succeeded'), ...omitted });
      const result = (ending.kind === 'returned' ? ending.value : undefined) as R;
      return { state: 'succeeded', replayed: false, attempts, result, ...omitted };
    }
    case 'fail': {
      const { reason } = settlement;
      events.emit({ type: 'failed', ...endOfAttempt(held, attempts, 'failed'), reason, error });
      return { state: 'failed', reason, error: toStoredError(error), replayed: false, attempts };
    }
    case 'release': {
      const { retryAfterMs, countsAs } = settlement;
      const reason = countsAs === 'deferral' ? 'deferred' : 'released';
      const interrupted = countsAs === 'interruption' ? { interrupted: true as const } : {};
      const end = endOfAttempt(held, attempts, 'pending');
      events.emit({ type: reason, ...end, retryAfterMs, ...interrupted, error });
      return { state: 'pending', reason, retryAfterMs, attempts, ...thrownIn(ending) };
    }
  }
}

function thrownIn(ending: AttemptEnding<unknown>): Pick<Pending, 'error'> {
  return ending.kind === 'threw' ? { error: toStoredError(ending.error) } : {};
}

/** As `endOf`, with the size of the batch in which the handler ran. */
function endOfAttempt<State extends 'succeeded' | 'failed' | 'pending'>(
  { engine, claim, lastRun }: HeldClaim,
  attempts: number,
  state: State,
): ReturnType<typeof endOf<State>> & { readonly batchSize?: number } {
  const end = endOf(engine, claim, attempts, state);
  const batchSize = lastRun?.batchSize;
  return batchSize === undefined ? end : { ...end, batchSize };
}
