import { Coverage } from './report/coverage.ts';
import { Timeline } from './report/timeline.ts';
import type { Violation } from './rules/judge.ts';
import { runSeed } from './run-seed.ts';
import { surfaceOf } from './surfaces/index.ts';

/** A seed in which a rule did not hold. */
export interface Failure extends Violation {
  readonly seed: number;
}

export interface Outcome {
  readonly coverage: Coverage;
  /** The first one. Undefined: all rules held. */
  readonly failure: Failure | undefined;
}

/** Runs seeds one after the other, all or those of a surface, up to the first in which a rule does not hold. */
export async function runSeeds(from: number, count: number, surface?: string): Promise<Outcome> {
  const { stackTraceLimit } = Error;
  // Most errors are simulated, and their stack traces are not read: to take them costs a quarter of the time.
  Error.stackTraceLimit = 0;
  try {
    return await runEach(from, count, surface);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function runEach(from: number, count: number, surface: string | undefined): Promise<Outcome> {
  const coverage = new Coverage();
  for (let seed = from; seed < from + count; seed += 1) {
    if (surface !== undefined && surfaceOf(seed).name !== surface) continue;
    const violation = await runSeed(seed, coverage);
    if (violation !== undefined) return { coverage, failure: { seed, ...violation } };
  }
  return { coverage, failure: undefined };
}

/** Runs a seed once more, as it was, and tells everything that happens in it. */
export async function replay(seed: number): Promise<string> {
  const timeline = new Timeline();
  const violation = await runSeed(seed, new Coverage(), (fact, at) => {
    timeline.note(fact, at);
  });
  const end = violation === undefined ? 'all rules held' : toLine({ seed, ...violation });
  return `seed ${seed}\n${timeline.toText()}\n${end}`;
}

export function toLine({ seed, rule, at, what }: Failure): string {
  return `seed ${seed}, after ${at.toFixed(1)} ms, rule ${rule}: ${what}`;
}
