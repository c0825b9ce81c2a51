import { expect, it } from 'vitest';
import { FEWEST_DELIVERIES, planOf } from '../../proof/simulation/plan/plan.ts';
import { replay, runSeeds, toLine } from '../../proof/simulation/run-seeds.ts';
import { runShares } from '../../proof/simulation/run-shares.ts';
import { surfaceOf } from '../../proof/simulation/surfaces/index.ts';

/** CI runs 800 more, and `npm run proof` 10,000. */
const SEEDS = 200;

it(`all rules hold in ${SEEDS} seeds`, async () => {
  const { coverage, failure } = await runShares(1, SEEDS);
  expect(failure && toLine(failure)).toBeUndefined();
  expect(coverage.missing()).toEqual([]);
  expect(coverage.seeds.filter(({ deliveries }) => deliveries < FEWEST_DELIVERIES)).toEqual([]);
  const faults = coverage.seeds.reduce((sum, seed) => sum + seed.faults, 0);
  expect(faults / SEEDS).toBeGreaterThan(3);
});

it('processes find together what one finds alone', async () => {
  const [many, one] = [await runShares(1, 24, undefined, 2), await runSeeds(1, 24)];
  expect(many.coverage.toText()).toBe(one.coverage.toText());
});

it('the same seed gives the same timeline, and another seed another', async () => {
  const timeline = await replay(7);
  expect(timeline.split('\n').length).toBeGreaterThan(100);
  expect(await replay(7)).toBe(timeline);
  expect(await replay(8)).not.toBe(timeline);
});

it('seeds have two to four workers', () => {
  const workers = Array.from(
    { length: 50 },
    (_, seed) => planOf(seed + 1, surfaceOf(seed + 1)).settings.workers,
  );
  expect(new Set(workers)).toEqual(new Set([2, 3, 4]));
});
