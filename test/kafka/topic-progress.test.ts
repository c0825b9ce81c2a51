import { expect, test } from 'vitest';
import { TopicProgress } from '../../adapters/kafka/redrive/topic-progress.ts';

const ends = new Map([
  [0, 3n],
  [1, 5n],
]);

test('a topic is read to its end when all partitions that are assigned here are', () => {
  const progress = new TopicProgress(ends);
  expect(progress.isReadToEnd()).toBe(false);
  progress.assign([0, 1, 2]);
  expect(progress.isReadToEnd()).toBe(false);
  progress.reach(0, 3n);
  progress.reach(1, 4n);
  expect(progress.isReadToEnd()).toBe(false);
  progress.assign([0, 2]);
  expect(progress.isReadToEnd()).toBe(true);
  progress.assign([0, 1]);
  expect(progress.isReadToEnd()).toBe(false);
  progress.reach(1, 9n);
  expect(progress.isReadToEnd()).toBe(true);
  progress.assign([]);
  expect(progress.isReadToEnd()).toBe(true);
});

test('a topic is open until all partitions are read, whoever reads them', () => {
  const progress = new TopicProgress(ends);
  progress.assign([]);
  progress.reach(0, 3n);
  expect(progress.isOpen).toBe(true);
  progress.reach(1, 5n);
  expect(progress.isOpen).toBe(false);
});

test('a message is due once, and not when it came after the start', () => {
  const progress = new TopicProgress(ends);
  expect([progress.isDue(0, 0n), progress.isDue(0, 2n), progress.isDue(0, 3n)]).toEqual([true, true, false]);
  expect(progress.isDue(7, 0n)).toBe(false);
  progress.reach(0, 2n);
  progress.reach(0, 1n);
  expect([progress.isDue(0, 1n), progress.isDue(0, 2n)]).toEqual([false, true]);
});
