import { NotStartedError } from '../../words/not-started-error.ts';
import type { Outcome } from '../../words/outcome.ts';
import type { Threw } from '../attempt-ending.ts';
import type { Claim } from '../engine.ts';
import { type HandlerRequest, handlerWork, type Work } from '../handler-work.ts';
import type { AttemptLimits, HeldClaim } from '../held-claim.ts';
import { settleBy } from '../run-attempt.ts';
import { RunsAloneError, type RunTogether, type Seat } from './seat.ts';

/** How the work of claims is run, and their records settled. */
export interface Runs<Extra extends readonly unknown[]> {
  readonly alone: <Result>(held: HeldClaim, work: Work<Result, Extra>) => Promise<Outcome<Result>>;
  readonly together: RunTogether;
}

interface Seated<Result, Extra extends readonly unknown[]> {
  readonly seat: Seat;
  readonly request: HandlerRequest<Result, Extra>;
  readonly limits: AttemptLimits;
}

/** Runs a claim that has a seat in a batch: with the others, or alone where their run was undone. */
export async function runSeated<Result, Extra extends readonly unknown[]>(
  runs: Runs<Extra>,
  held: HeldClaim,
  { seat, request, limits }: Seated<Result, Extra>,
): Promise<Outcome<Result>> {
  if (!isFirst(held.claim)) {
    seat.hasToWait = true;
    return await settleBy(
      held,
      interruptedBy(new NotStartedError('it has been claimed before: it runs alone, after its batch')),
    );
  }
  // The batch has one time limit for all.
  held.limitTo({ ...limits, timeoutMs: undefined });
  seat.claimed(held, limits.timeoutMs, runs.together);
  // The transaction, where there is one, is that of the batch, and not of this work.
  const ending = await held.run(handlerWork(held, request) as unknown as Work<Result>);
  if (seat.conclude !== undefined) return (await seat.conclude()) as Outcome<Result>;
  if (ending.kind === 'returned' || !(ending.error instanceof RunsAloneError)) {
    return await settleBy(held, ending);
  }
  if (limits.signal?.aborted === true) return await settleBy(held, interruptedBy(limits.signal.reason));
  held.limitTo(limits);
  return await runs.alone(held, handlerWork(held, request));
}

function interruptedBy(error: unknown): Threw {
  return { kind: 'threw', error, interrupted: true };
}

/** Whether nothing has ever gone wrong with the message: one that has may hurt its company. */
function isFirst({ attempts, ageMs }: Claim): boolean {
  return attempts === 1 && ageMs === 0;
}
