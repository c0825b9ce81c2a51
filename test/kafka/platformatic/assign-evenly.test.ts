import { expect, test } from 'vitest';
import { assignEvenly } from '../../../adapters/kafka/platformatic/assign-evenly.ts';

type Topics = Readonly<Record<string, readonly string[]>>;

/** The partitions of each member, such as `bills/0`. */
function sharesOf(subscriptions: Topics, counts: Readonly<Record<string, number>>): Record<string, string[]> {
  const members = new Map(Object.entries(subscriptions).map(([id, topics]) => [id, { topics }]));
  const topics = new Map(
    Object.entries(counts).map(([topic, partitionsCount]) => [topic, { partitionsCount }]),
  );
  const shares = assignEvenly('a', members, new Set(['bills']), { topics });
  const textsOf = (assignments: (typeof shares)[number]['assignments']) =>
    [...assignments.values()].flatMap(({ topic, partitions }) => partitions.map((one) => `${topic}/${one}`));
  return Object.fromEntries(shares.map(({ memberId, assignments }) => [memberId, textsOf(assignments)]));
}

test('members with the same topics get as many partitions each, also of topics with one', () => {
  const all = ['bills', 'orders', 'letters'];
  expect(sharesOf({ a: all, b: all }, { bills: 3, orders: 1, letters: 2 })).toEqual({
    a: ['bills/0', 'bills/2', 'letters/0'],
    b: ['bills/1', 'orders/0', 'letters/1'],
  });
});

test('members get partitions of their own topics alone, and what they can have evenly', () => {
  const subscriptions = { a: ['bills'], b: ['bills', 'orders'], c: [] };
  expect(sharesOf(subscriptions, { orders: 2, bills: 4 })).toEqual({
    a: ['bills/0', 'bills/1', 'bills/2'],
    b: ['orders/0', 'orders/1', 'bills/3'],
    c: [],
  });
});

test('a topic that none of them subscribes to is given to none', () => {
  expect(sharesOf({ a: ['bills'] }, { bills: 1, others: 2 })).toEqual({ a: ['bills/0'] });
});
