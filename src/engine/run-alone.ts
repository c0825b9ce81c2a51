import { endsWithin } from '../lib/wait.ts';
import { NotStartedError } from '../words/not-started-error.ts';
import type { Outcome } from '../words/outcome.ts';
import { interruptedBy } from './attempt-ending.ts';
import type { Claim } from './engine.ts';
import type { Work } from './handler-work.ts';
import type { AttemptLimits, HeldClaim } from './held-claim.ts';
import { settleBy } from './run-attempt.ts';

/** Runs the work of a claim, and settles its record. */
export type RunOne<Extra extends readonly unknown[]> = <Result>(
  held: HeldClaim,
  work: Work<Result, Extra>,
) => Promise<Outcome<Result>>;

export interface Alone<Result, Extra extends readonly unknown[]> {
  readonly createWork: () => Work<Result, Extra>;
  readonly limits: AttemptLimits;
}

/** Runs a claim that is in no batch. One that has lost a worker before runs beside none of its process. */
export function runAlone<Result, Extra extends readonly unknown[]>(
  run: RunOne<Extra>,
  held: HeldClaim,
  alone: Alone<Result, Extra>,
): Promise<Outcome<Result>> {
  return hasLostWorker(held.claim) ? runApart(run, held, alone) : run(held, alone.createWork());
}

/** Waits for the batches that run, but for a lease at most, since one of them may wait for it. */
async function runApart<Result, Extra extends readonly unknown[]>(
  run: RunOne<Extra>,
  held: HeldClaim,
  { createWork, limits }: Alone<Result, Extra>,
): Promise<Outcome<Result>> {
  const { batches, clock, settings } = held.engine;
  const letBegin = batches.holdOff();
  try {
    if (batches.ended !== undefined) {
      held.limitTo({ ...limits, timeoutMs: undefined });
      const isApart = await endsWithin(batches.ended, settings.leaseMs, clock, limits.signal);
      if (!isApart) return await settleBy(held, interruptedBy(new NotStartedError(BESIDE_BATCH)));
      held.limitTo(limits);
    }
    return await run(held, createWork());
  } finally {
    letBegin();
  }
}

const BESIDE_BATCH =
  'it has lost a worker before, and must not run beside a batch: one has not ended within its lease';

/** Attempts before this one that are no failures have lost theirs. */
function hasLostWorker({ attempts, failures }: Claim): boolean {
  return attempts - failures > 1;
}
