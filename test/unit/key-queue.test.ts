import { expect, test } from 'vitest';
import { createKeyQueue } from '../../src/key-queue.ts';

function queueOf(...keys: string[]) {
  const queue = createKeyQueue<string>();
  keys.forEach((key, index) => {
    queue.add(key, `${key}${index}`);
  });
  return queue;
}

test('a batch takes the oldest first, and no more than it has room for', () => {
  const queue = queueOf('a', 'b', 'c');
  expect(queue.take(2)).toEqual(['a0', 'b1']);
  expect(queue.size()).toBe(1);
  expect(queue.take(2)).toEqual(['c2']);
  expect(queue.take(2)).toEqual([]);
});

test('a key is in a batch once; its later requests keep their order', () => {
  const queue = queueOf('a', 'a', 'b', 'a');
  expect(queue.take(10)).toEqual(['a0', 'b2']);
  queue.add('c', 'c4');
  expect(queue.take(10)).toEqual(['a1', 'c4']);
  expect(queue.take(10)).toEqual(['a3']);
  expect(queue.size()).toBe(0);
});
