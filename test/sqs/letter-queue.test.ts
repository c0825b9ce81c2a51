import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Queue } from '../../adapters/shared/sqs/queue.ts';
import { createLetterQueue } from '../../adapters/sqs/redrive/letter-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A queue whose receives give these. */
function scripted(...receives: string[][]) {
  const shown: string[] = [];
  let polls = 0;
  const queue = {
    receive: () => {
      polls += 1;
      const ids = receives.shift() ?? [];
      return Promise.resolve(ids.map((id) => ({ MessageId: id, ReceiptHandle: `handle-${id}` })));
    },
    changeVisibility(handle: string) {
      shown.push(handle);
      return Promise.resolve({ done: true });
    },
    delete: () => Promise.resolve({ done: true }),
  } as unknown as Queue;
  const stop = { isOver: false };
  const letters = createLetterQueue('redriveQueue', queue, 10);
  const receive = () => letters.receive(() => stop.isOver);
  return { shown, polls: () => polls, stop, letters: { ...letters, receive } };
}

test('what was kept and shows again is not given twice, however many polls it fills', async () => {
  const kept = ['a', 'b', 'c', 'd'];
  const { letters } = scripted(kept, ['a'], ['b'], ['c'], ['a', 'late', 'd'], []);
  for (const letter of await letters.receive()) letters.keep(letter);
  expect((await letters.receive()).map(({ messageId }) => messageId)).toEqual(['late']);
  expect(await letters.receive()).toEqual([]);
});

test('what was kept ends the queue when each may have come once, and nothing else has', async () => {
  const { letters, polls } = scripted(['a', 'b'], ['a'], ['b'], ['a'], ['never']);
  for (const letter of await letters.receive()) letters.keep(letter);
  expect([await letters.receive(), polls()]).toEqual([[], 4]);
});

test('no poll follows once it is over', async () => {
  const { letters, polls, stop } = scripted(['a', 'b'], ['a'], ['b']);
  for (const letter of await letters.receive()) letters.keep(letter);
  stop.isOver = true;
  expect([await letters.receive(), polls()]).toEqual([[], 1]);
});

test('of a letter that came again the last receive counts', async () => {
  const { letters, shown } = scripted(['a', 'b'], ['a', 'b']);
  for (const letter of await letters.receive()) letters.keep(letter);
  vi.advanceTimersByTime(9_600);
  await letters.receive();
  await letters.returnAll();
  expect(shown.toSorted()).toEqual(['handle-a', 'handle-b']);
});

test('at the end those that are still hidden are made visible, and no others', async () => {
  const { letters, shown } = scripted(['lapsed'], ['a', 'b']);
  const [lapsed] = await letters.receive();
  vi.advanceTimersByTime(9_600);
  const [a] = await letters.receive();
  if (a === undefined || lapsed === undefined) throw new Error('nothing was received');
  expect([letters.isOurs(lapsed), letters.isOurs(a)]).toEqual([false, true]);
  await letters.remove(a);
  await letters.returnAll();
  expect(shown).toEqual(['handle-b']);
});
