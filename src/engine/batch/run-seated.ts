import { NotStartedError } from '../../words/not-started-error.ts';
import type { Outcome } from '../../words/outcome.ts';
import { AbandonedError } from '../abandoned.ts';
import type { AttemptEnding, Threw } from '../attempt-ending.ts';
import { GRACE_MS } from '../attempt-in-transaction.ts';
import type { Claim } from '../engine.ts';
import type { Work } from '../handler-work.ts';
import type { HeldClaim } from '../held-claim.ts';
import { type Alone, runAlone, type RunOne } from '../run-alone.ts';
import { settleBy } from '../run-attempt.ts';
import { abandon } from '../run-in-transaction.ts';
import { MeetsAgainError, ALONE, RunsAloneError, type RunTogether, type Seat } from './seat.ts';

/** How the work of claims is run, and their records settled. */
export interface Runs<Extra extends readonly unknown[]> {
  readonly alone: RunOne<Extra>;
  readonly together: RunTogether;
  /** Whether a handler can run more than once within an attempt. */
  readonly mayRepeat: boolean;
}

interface Seated<Result, Extra extends readonly unknown[]> extends Alone<Result, Extra> {
  readonly seat: Seat;
}

/** Runs a claim that has a seat in a batch: with the others, or alone where their run was undone. */
export async function runSeated<Result, Extra extends readonly unknown[]>(
  runs: Runs<Extra>,
  held: HeldClaim,
  { seat, createWork, limits }: Seated<Result, Extra>,
): Promise<Outcome<Result>> {
  if (seat.isAlone) return await runAlone(runs.alone, held, { createWork, limits });
  if (!isFirst(held.claim)) {
    seat.hasToWait = true;
    return await settleBy(
      held,
      interruptedBy(new NotStartedError('it has been claimed before: it runs alone, after its batch')),
    );
  }
  seat.claimed(held, limits, runs.together);
  for (;;) {
    held.limitTo({ ...limits, timeoutMs: limits.timeoutMs ?? held.engine.settings.leaseMs });
    const ending = await Promise.race([meet(held, createWork()), untilLate(held, seat), seat.abandoned]);
    if (ending === 'late') return abandon(held, { isStarted: false }, interruptedBy(late()));
    if (seat.conclude !== undefined) return (await seat.conclude()) as Outcome<Result>;
    if (ending === undefined) continue;
    if (ending.kind === 'returned') {
      if (ending.value === ALONE) break;
      return await settleBy(held, ending);
    }
    if (ending.error instanceof RunsAloneError) break;
    if (ending.error instanceof MeetsAgainError) continue;
    // It has failed before it met the others: in its lane that has to wait for those before it.
    const hasToWait = seat.state === 'coming' && !ending.interrupted;
    const hasTurn = !hasToWait || (await seat.turn());
    return await settleBy(held, hasTurn ? ending : interruptedBy(ending.error));
  }
  if (limits.signal?.aborted === true) return await settleBy(held, interruptedBy(limits.signal.reason));
  held.limitTo(limits);
  return await runs.alone(held, createWork());
}

/** Until the run of all has ended. The transaction, where there is one, is that of the batch, and not of this work. */
function meet<Result, Extra extends readonly unknown[]>(
  held: HeldClaim,
  work: Work<Result, Extra>,
): Promise<AttemptEnding<Result>> {
  return held.run(work as unknown as Work<Result>);
}

/** A message whose payload, or hook, takes longer than its limit does not hold up the others. */
function untilLate(held: HeldClaim, seat: Seat): Promise<'late'> {
  return new Promise((resolve) => {
    held.onAborted(() => {
      held.clock.setTimer(() => {
        if (seat.state === 'coming') resolve('late');
      }, GRACE_MS);
    });
  });
}

function late(): AbandonedError {
  return new AbandonedError('its time was over before its batch could start');
}

function interruptedBy(error: unknown): Threw {
  return { kind: 'threw', error, interrupted: true };
}

/** Whether nothing has ever gone wrong with the message: one that has may hurt the others of its batch. */
function isFirst({ attempts, ageMs }: Claim): boolean {
  return attempts === 1 && ageMs === 0;
}
