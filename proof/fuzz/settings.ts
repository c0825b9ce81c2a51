import type { Parameters } from 'fast-check';

const DEFAULT_SEED = 20_261_123;

/**
 * How many cases, and which. `FUZZ_SEED` gives others, `FUZZ_RUNS` more, and `FUZZ_PATH` the one case that a failure
 * has printed as its path.
 */
export function fuzzed<Values>(numRuns: number): Parameters<Values> {
  const { FUZZ_SEED, FUZZ_RUNS, FUZZ_PATH } = process.env;
  return {
    seed: Number(FUZZ_SEED ?? DEFAULT_SEED),
    numRuns: Number(FUZZ_RUNS ?? numRuns),
    ...(FUZZ_PATH === undefined ? {} : { path: FUZZ_PATH }),
  };
}
