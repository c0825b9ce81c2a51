import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Queue } from '../../adapters/sqs/queue.ts';
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
  const queue = {
    receive: () =>
      Promise.resolve(
        (receives.shift() ?? []).map((id) => ({ MessageId: id, ReceiptHandle: `handle-${id}` })),
      ),
    changeVisibility(handle: string) {
      shown.push(handle);
      return Promise.resolve({ done: true });
    },
    delete: () => Promise.resolve({ done: true }),
  } as unknown as Queue;
  return { shown, letters: createLetterQueue('redriveQueue', queue, 10) };
}

test('what was kept and shows again is not given twice, and ends the queue when nothing else comes', async () => {
  const { letters } = scripted(['a', 'b'], ['a'], ['a', 'c'], ['a'], ['a'], ['a'], ['late']);
  const [a, b] = await letters.receive();
  if (a === undefined || b === undefined) throw new Error('nothing was received');
  letters.keep(a);
  await letters.remove(b);
  expect((await letters.receive()).map(({ messageId }) => messageId)).toEqual(['c']);
  expect(await letters.receive()).toEqual([]);
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
