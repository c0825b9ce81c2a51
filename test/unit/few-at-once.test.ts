import { expect, test } from 'vitest';
import { fewAtOnce } from '../../src/lib/few-at-once.ts';
import { gate } from '../support/gate.ts';

test('work on many items goes on for so many at once, and its results are in their order', async () => {
  const running: number[] = [];
  const ends = [gate(), gate(), gate()];
  const results = fewAtOnce(ends, 2, async (end) => {
    const index = ends.indexOf(end);
    running.push(index);
    await end.opened;
    return index;
  });
  expect(running).toEqual([0, 1]);
  ends[1]?.open();
  await ends[1]?.opened;
  await Promise.resolve();
  expect(running).toEqual([0, 1, 2]);
  for (const { open } of ends) open();
  expect(await results).toEqual([0, 1, 2]);
  expect(await fewAtOnce([], 2, () => Promise.resolve(1))).toEqual([]);
});

test('after an error no more work is started', async () => {
  const started: number[] = [];
  const results = fewAtOnce([1, 2, 3], 1, (item) => {
    started.push(item);
    return item === 2 ? Promise.reject(new Error('no')) : Promise.resolve(item);
  });
  await expect(results).rejects.toThrow('no');
  expect(started).toEqual([1, 2]);
  const rest = fewAtOnce([1, 2, 3, 4], 2, async (item) => {
    started.push(10 * item);
    await Promise.resolve();
    if (item === 1) throw new Error('no');
  });
  await expect(rest).rejects.toThrow('no');
  expect(started).toEqual([1, 2, 10, 20]);
});
