import { endsWithin } from '../lib/wait.ts';
import type { Outcome } from '../words/outcome.ts';
import type { Claim } from './engine.ts';
import type { Work } from './handler-work.ts';
import type { AttemptLimits, HeldClaim } from './held-claim.ts';

/** Runs the work of a claim, and settles its record. */
export type RunOne<Extra extends readonly unknown[]> = <Result>(
  held: HeldClaim,
  work: Work<Result, Extra>,
) => Promise<Outcome<Result>>;

export interface Alone<Result, Extra extends readonly unknown[]> {
  readonly createWork: () => Work<Result, Extra>;
  readonly limits: AttemptLimits;
}

/** Runs a claim that is in no batch. One that has lost a worker before waits for those of its process. */
export function runAlone<Result, Extra extends readonly unknown[]>(
  run: RunOne<Extra>,
  held: HeldClaim,
  alone: Alone<Result, Extra>,
): Promise<Outcome<Result>> {
  return hasLostWorker(held.claim) ? runApart(run, held, alone) : run(held, alone.createWork());
}

/** For a lease at most: a batch may hang, or wait for this very message. */
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
      await endsWithin(batches.ended, settings.leaseMs, clock, limits.signal);
      held.limitTo(limits);
    }
    return await run(held, createWork());
  } finally {
    letBegin();
  }
}

/** Attempts before this one that are no failures have lost theirs. */
function hasLostWorker({ attempts, failures }: Claim): boolean {
  return attempts - failures > 1;
}
