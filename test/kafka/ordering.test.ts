import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Ordering, toLanes } from '../../adapters/kafka/options/ordering.ts';

interface Item {
  readonly key: Buffer | null;
  readonly offset: number;
}

const itemsWith = (keys: readonly (Buffer | null)[]): Item[] => keys.map((key, offset) => ({ key, offset }));
const lanesOf = (keys: readonly (Buffer | null)[], ordering: Ordering): number[][] =>
  toLanes(itemsWith(keys), ordering).map((lane) => lane.map(({ offset }) => offset));

const A = Buffer.from('a');
const B = Buffer.from('b');

describe("'partition'", () => {
  test('is one lane, in the order of the batch', () => {
    expect(lanesOf([A, null, B, A], 'partition')).toEqual([[0, 1, 2, 3]]);
  });
});

describe("'unordered'", () => {
  test('is a lane for each', () => {
    expect(lanesOf([A, null, A, A], 'unordered')).toEqual([[0], [1], [2], [3]]);
  });
});

describe("'key'", () => {
  test('is a lane for each key, in the order of the batch', () => {
    expect(lanesOf([A, B, A, B, B], 'key')).toEqual([
      [0, 2],
      [1, 3, 4],
    ]);
  });

  test('is a lane for each message without a key', () => {
    expect(lanesOf([null, A, null, A, null], 'key')).toEqual([[0], [1, 3], [2], [4]]);
  });

  test('takes keys of equal bytes for one key, whatever buffers they lie in', () => {
    const larger = Buffer.from('xxabcxx').subarray(2, 5);
    expect(lanesOf([Buffer.from('abc'), larger], 'key')).toEqual([[0, 1]]);
  });

  test('tells apart bytes that are no UTF-8, which would all be one text', () => {
    const keys = [[0xff], [0xfe], [0xef, 0xbf, 0xbd], [0xc3], [0xff]].map((bytes) => Buffer.from(bytes));
    expect(lanesOf(keys, 'key')).toEqual([[0, 4], [1], [2], [3]]);
  });

  test('tells an empty key from none', () => {
    expect(lanesOf([Buffer.alloc(0), null, Buffer.alloc(0)], 'key')).toEqual([[0, 2], [1]]);
  });
});

test('each message is in one lane, and in order within it; under a key all lanes differ in it', () => {
  const key = fc.option(fc.uint8Array({ maxLength: 2, max: 255 }).map((bytes) => Buffer.from(bytes)));
  const ordering = fc.constantFrom<Ordering>('partition', 'key', 'unordered');
  fc.assert(
    fc.property(fc.array(key, { maxLength: 15 }), ordering, (keys, by) => {
      const lanes = lanesOf(keys, by);
      expect(lanes.flat().sort((a, b) => a - b)).toEqual([...keys.keys()]);
      for (const lane of lanes) expect(lane).toEqual([...lane].sort((a, b) => a - b));
      if (by !== 'key') return;
      const keyed = lanes.map((lane) => new Set(lane.map((offset) => keys[offset]?.toString('hex'))));
      for (const lane of keyed) expect(lane.size).toBe(1);
      const names = keyed.flatMap((lane) => [...lane]).filter((name) => name !== undefined);
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});

test.each<Ordering>(['key', 'unordered'])('an empty batch has no lane under %s', (ordering) => {
  expect(toLanes([], ordering)).toEqual([]);
});
