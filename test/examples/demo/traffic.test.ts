import { expect, it } from 'vitest';
import { traffic, waves } from '../../../examples/demo/traffic.ts';

it('is the same every time, and has some orders twice', () => {
  const orders = traffic();
  expect(traffic()).toEqual(orders);
  expect(new Set(orders.map(({ id }) => id)).size).toBe(300);
  expect(orders).toHaveLength(338);
});

it('has copies that follow their order at once, and copies that come late', () => {
  const ids = traffic().map(({ id }) => id);
  const distances = ids.flatMap((id, index) => {
    const copy = ids.indexOf(id, index + 1);
    return copy === -1 ? [] : [copy - index];
  });
  expect(distances.filter((distance) => distance === 1)).toHaveLength(19);
  expect(distances.filter((distance) => distance > 10)).toHaveLength(19);
});

it('can be sent in two parts, or all at once', () => {
  const orders = traffic();
  const [first, rest] = waves(orders, 2 / 3);
  expect([...first, ...rest]).toEqual(orders);
  expect(first).toHaveLength(226);
  expect(waves(orders, 1)).toEqual([orders, []]);
});
