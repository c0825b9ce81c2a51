import { describe, expect, it } from 'vitest';
import { comparisonsTo, compareTo, compareWithBase } from '../../bench/compare.ts';
import { costOfEach } from '../../bench/costs.ts';

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
    expect(contenders.map(({ ratio }) => ratio?.median)).toEqual([3, 1]);
  });
});

describe('comparisonsTo', () => {
  it('has one for each kind of message, with what each cost where that was measured', () => {
    const client = [
      { contender: 'theirs', rates: [10, 30, 20] },
      { contender: 'ours', rates: [7, 7, 7] },
    ];
    const measured = new Map([
      ['fresh', samples],
      ['fresh, client', client],
      ['fresh, wal', client.slice(1)],
      ['duplicates', samples],
    ]);
    const [fresh, duplicates] = comparisonsTo({ inFlight: 10 }, measured, 'ours');
    expect(fresh?.setting).toEqual({ inFlight: 10, messages: 'fresh' });
    const ours = { min: 7, median: 7, max: 7 };
    expect(fresh?.contenders.map(({ costs }) => costs)).toEqual([
      { client: ours, wal: ours },
      { client: { min: 10, median: 20, max: 30 } },
    ]);
    expect(duplicates).toEqual(compareTo({ inFlight: 10, messages: 'duplicates' }, samples, 'ours'));
  });
});

describe('costOfEach', () => {
  it('leaves out what is not known', () => {
    expect(costOfEach({ client: 10, wal: 5 }, { client: 30, server: 7, wal: 25 }, 10)).toEqual({
      client: 2,
      wal: 2,
    });
  });
});
