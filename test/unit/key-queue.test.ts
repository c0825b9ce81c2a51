import { expect, test } from 'vitest';
import { KeyQueue } from '../../src/lib/key-queue.ts';

interface Entry {
  readonly key: string;
  readonly name: string;
  next?: Entry | undefined;
}

function queueOf(...keys: string[]): KeyQueue<Entry> {
  const queue = new KeyQueue<Entry>();
  keys.forEach((key, index) => {
    queue.add({ key, name: `${key}${index}` });
  });
  return queue;
}

const take = (queue: KeyQueue<Entry>, max: number) => queue.take(max).map(({ name }) => name);

test('a batch takes the oldest first, and no more than it has room for', () => {
  const queue = queueOf('a', 'b', 'c');
  expect(take(queue, 2)).toEqual(['a0', 'b1']);
  expect(queue.size).toBe(1);
  expect(take(queue, 2)).toEqual(['c2']);
  expect(take(queue, 2)).toEqual([]);
});

test('a key is in a batch once; its later requests keep their order', () => {
  const queue = queueOf('a', 'a', 'b', 'a');
  expect(take(queue, 10)).toEqual(['a0', 'b2']);
  queue.add({ key: 'c', name: 'c4' });
  expect(take(queue, 10)).toEqual(['a1', 'c4']);
  queue.add({ key: 'a', name: 'a5' });
  expect(take(queue, 10)).toEqual(['a3']);
  expect(take(queue, 10)).toEqual(['a5']);
  expect(queue.size).toBe(0);
});

test('a long queue gives everything once, in order', () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `key-${index}-`);
  const queue = queueOf(...keys);
  const taken: string[] = [];
  while (queue.size > 0) taken.push(...take(queue, 300));
  expect(taken).toEqual(keys.map((key, index) => `${key}${index}`));
});
