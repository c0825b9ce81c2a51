import { describe, expect, it } from 'vitest';
import { compareTo, compareWithBase } from '../../bench/compare.ts';

const samples = [
  { contender: 'ours', rates: [200, 400, 900] },
  { contender: 'theirs', rates: [100, 100, 300] },
];

describe('compareTo', () => {
  it('divides round by round: a slow moment hits both', () => {
    const { contenders } = compareTo({ inFlight: 10 }, samples, 'ours');
    expect(contenders).toEqual([
      {
        contender: 'ours',
        messagesPerSecond: { min: 200, median: 400, max: 900 },
        ratio: { min: 1, median: 1, max: 1 },
      },
      {
        contender: 'theirs',
        messagesPerSecond: { min: 100, median: 100, max: 300 },
        ratio: { min: 2, median: 3, max: 4 },
      },
    ]);
  });

  it('refuses to compare with what was not measured', () => {
    expect(() => compareTo({}, samples, 'nobody')).toThrow('nobody was not measured');
  });
});

describe('compareWithBase', () => {
  it('divides the other way', () => {
    const { contenders } = compareWithBase({}, samples, 'theirs');
    expect(contenders.map(({ ratio }) => ratio.median)).toEqual([3, 1]);
  });
});
