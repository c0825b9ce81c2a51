import { expect, it } from 'vitest';
import { untilNothingIsMissing } from '../../../examples/demo/progress.ts';

it('says what is missing when the time is up', async () => {
  const ended = AbortSignal.abort(new Error('not done after 60 s'));
  const look = () => Promise.resolve(['2 orders are not charged', '3 messages are in the queue']);
  await expect(untilNothingIsMissing(look, 1, ended)).rejects.toThrow(
    'not done after 60 s: 2 orders are not charged, 3 messages are in the queue',
  );
});

it('looks until nothing is missing', async () => {
  const looks = [['much'], ['little'], []];
  await untilNothingIsMissing(
    () => Promise.resolve(looks.shift() ?? ['too far']),
    1,
    AbortSignal.timeout(9_999),
  );
  expect(looks).toEqual([]);
});
