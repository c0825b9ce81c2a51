import { expect, it } from 'vitest';
import { spread } from '../../bench/statistics.ts';

it('is the middle, or the mean of the two in the middle, between the lowest and the highest', () => {
  expect(spread([3, 1, 2])).toEqual({ min: 1, median: 2, max: 3 });
  expect(spread([4, 1, 10, 2])).toEqual({ min: 1, median: 3, max: 10 });
});
