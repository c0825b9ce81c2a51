import { expect, test } from 'vitest';
import { Tally } from '../../adapters/operations/census.ts';

test('a tally adds up the counts of a scope and a state, and keeps their oldest', () => {
  const tally = new Tally([
    { scope: 'billing', state: 'pending', records: 3, abandoned: 2, oldestMs: 30 },
    { scope: 'mail', state: 'pending', records: 1, abandoned: 0, oldestMs: 5 },
  ]);
  tally.add([
    ['billing', 'pending', '4', '1', '20'],
    ['billing', 'failed', '1', '0', '40'],
    ['billing', 'pending', '5', '3', '25'],
  ]);
  expect(tally.counts()).toEqual([
    { scope: 'billing', state: 'pending', records: 12, abandoned: 6, oldestMs: 20 },
    { scope: 'mail', state: 'pending', records: 1, abandoned: 0, oldestMs: 5 },
    { scope: 'billing', state: 'failed', records: 1, abandoned: 0, oldestMs: 40 },
  ]);
  expect(tally.sums()).toEqual({ records: 14, abandoned: 6 });
});
