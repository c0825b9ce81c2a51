import { describe, expect, it } from 'vitest';
import { compareTo, compareWithBase, withCpu } from '../../bench/compare.ts';

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

describe('withCpu', () => {
  it('adds the microseconds of each contender, of the server where they are known', () => {
    const comparison = compareTo({}, samples, 'ours');
    const client = [
      { contender: 'theirs', rates: [10, 30, 20] },
      { contender: 'ours', rates: [7, 7, 7] },
    ];
    const ours = { min: 7, median: 7, max: 7 };
    const theirs = { min: 10, median: 20, max: 30 };
    const alone = withCpu(comparison, { client, server: [] });
    expect(alone.contenders.map(({ cpu }) => cpu)).toEqual([{ client: ours }, { client: theirs }]);
    const both = withCpu(comparison, { client, server: client });
    expect(both.contenders[0]).toEqual({
      ...comparison.contenders[0],
      cpu: { client: ours, server: ours },
    });
  });
});
