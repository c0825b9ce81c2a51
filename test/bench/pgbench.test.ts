import { expect, it } from 'vitest';
import { rateAfter } from '../../bench/pgbench/program.ts';

it('counts from the end of the warm-up to the last end', () => {
  const cold = [100, 100.5, 101];
  const warm = [101.1, 101.2, 101.3, 101.4, 101.5];
  expect(rateAfter(1, [...warm, ...cold])).toBeCloseTo(10);
});
