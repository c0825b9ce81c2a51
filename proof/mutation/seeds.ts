import { expect, test } from 'vitest';
import { runSeeds } from '../simulation/run-seeds.ts';

const SEEDS = 40;

/** Each seed of the simulation is a test. */
for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`seed ${seed}`, async () => {
    const { failure } = await runSeeds(seed, 1);
    expect(failure).toBeUndefined();
  });
}
