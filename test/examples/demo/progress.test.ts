import { expect, it, vi } from 'vitest';
import { untilNothingIsMissing } from '../../../examples/demo/progress.ts';

it('says what is missing when the time is up', async () => {
  const signal = AbortSignal.abort(new Error('no progress for 60 s'));
  const look = () => Promise.resolve(['2 orders are not charged', '3 messages are in the queue']);
  await expect(untilNothingIsMissing(look, 1, { signal, progressed: vi.fn() })).rejects.toThrow(
    'no progress for 60 s: 2 orders are not charged, 3 messages are in the queue',
  );
});

it('looks until nothing is missing, and sees progress in what is missing', async () => {
  const looks = [['much'], ['much'], ['little'], ['little'], []];
  const look = () => Promise.resolve(looks.shift() ?? ['too far']);
  const progressed = vi.fn();
  await untilNothingIsMissing(look, 1, { signal: new AbortController().signal, progressed });
  expect(looks).toEqual([]);
  expect(progressed).toHaveBeenCalledTimes(3);
});
