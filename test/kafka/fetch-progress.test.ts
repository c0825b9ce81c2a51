import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSettledPrefix } from '../../adapters/kafka/settled-prefix.ts';

const messagesAt = (offsets: readonly (number | bigint)[]) =>
  offsets.map((offset) => ({ offset: String(offset) }));

/** Offsets with gaps, and an order in which some or all of their messages settle. */
const batches = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { minLength: 1, maxLength: 12 })
  .map((offsets) => offsets.sort((a, b) => (a < b ? -1 : 1)))
  .chain((offsets) =>
    fc.record({
      offsets: fc.constant(offsets),
      order: fc.shuffledSubarray(offsets.map((_, index) => index)),
    }),
  );

test('after every step, the last offset told is that of the settled prefix, and none is told twice', () => {
  fc.assert(
    fc.property(batches, ({ offsets, order }) => {
      const messages = messagesAt(offsets);
      const told: string[] = [];
      const prefix = createSettledPrefix(messages, (offset) => told.push(offset));
      const settled = new Set<number>();
      for (const index of order) {
        const before = told.length;
        prefix.settle(index);
        settled.add(index);
        const gap = messages.findIndex((_, at) => !settled.has(at));
        const length = gap === -1 ? messages.length : gap;
        expect(told.at(-1)).toBe(messages[length - 1]?.offset);
        expect(told.length - before).toBeLessThanOrEqual(1);
      }
      expect(told.map(BigInt)).toEqual([...new Set(told.map(BigInt))].sort((a, b) => (a < b ? -1 : 1)));
    }),
  );
});

test('when all have settled, in any order, the last offset is told', () => {
  fc.assert(
    fc.property(batches, ({ offsets, order }) => {
      const told: string[] = [];
      const prefix = createSettledPrefix(messagesAt(offsets), (offset) => told.push(offset));
      const rest = offsets.map((_, index) => index).filter((index) => !order.includes(index));
      for (const index of [...order, ...rest]) prefix.settle(index);
      expect(told.at(-1)).toBe(String(offsets.at(-1)));
    }),
  );
});

test('what settles again is not told again', () => {
  const told: string[] = [];
  const prefix = createSettledPrefix(messagesAt([5, 9]), (offset) => told.push(offset));
  for (const index of [0, 0, 1, 0, 1]) prefix.settle(index);
  expect(told).toEqual(['5', '9']);
});

test('an offset is told as it was fetched: not computed, and without a loss of precision', () => {
  const told: string[] = [];
  const prefix = createSettledPrefix(
    messagesAt([9_007_199_254_740_993n, 9_223_372_036_854_775_807n]),
    (offset) => told.push(offset),
  );
  prefix.settle(1);
  expect(told).toEqual([]);
  prefix.settle(0);
  expect(told).toEqual(['9223372036854775807']);
});
