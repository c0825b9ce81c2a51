import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Queue } from '../../adapters/shared/sqs/queue.ts';
import { createDeadLetterQueue } from '../../adapters/sqs/redrive/dead-letter-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const NO_MESSAGES = {
  ApproximateNumberOfMessages: '0',
  ApproximateNumberOfMessagesNotVisible: '0',
  ApproximateNumberOfMessagesDelayed: '0',
};

/** A queue whose receives give these. */
function scripted(...receives: string[][]) {
  const shown: string[] = [];
  let polls = 0;
  const attributes = vi.fn<Queue['attributes']>().mockResolvedValue(NO_MESSAGES);
  const queue = {
    attributes,
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
  const deadLetters = createDeadLetterQueue('redriveQueue', queue, 10);
  const receive = () => deadLetters.receive(() => stop.isOver);
  const hasOthers = () => deadLetters.hasOthers(() => stop.isOver);
  return { shown, polls: () => polls, stop, attributes, deadLetters: { ...deadLetters, receive, hasOthers } };
}

test('what was kept and shows again is not given twice, however many polls it fills', async () => {
  const kept = ['a', 'b', 'c', 'd'];
  const { deadLetters } = scripted(kept, ['a'], ['b'], ['c'], ['a', 'late', 'd'], []);
  for (const deadLetter of await deadLetters.receive()) deadLetters.keep(deadLetter);
  expect((await deadLetters.receive()).map(({ messageId }) => messageId)).toEqual(['late']);
  expect(await deadLetters.receive()).toEqual([]);
});

test('what was kept ends the queue when each may have come once, and nothing else has', async () => {
  const { deadLetters, polls } = scripted(['a', 'b'], ['a'], ['b'], ['a'], ['never']);
  for (const deadLetter of await deadLetters.receive()) deadLetters.keep(deadLetter);
  expect([await deadLetters.receive(), polls()]).toEqual([[], 4]);
});

test('no poll follows once it is over', async () => {
  const { deadLetters, polls, stop } = scripted(['a', 'b'], ['a'], ['b']);
  for (const deadLetter of await deadLetters.receive()) deadLetters.keep(deadLetter);
  stop.isOver = true;
  expect([await deadLetters.receive(), polls()]).toEqual([[], 1]);
});

test('of a dead letter that came again the last receive counts', async () => {
  const { deadLetters, shown } = scripted(['a', 'b'], ['a', 'b']);
  for (const deadLetter of await deadLetters.receive()) deadLetters.keep(deadLetter);
  vi.advanceTimersByTime(9_600);
  await deadLetters.receive();
  await deadLetters.returnAll();
  expect(shown.toSorted()).toEqual(['handle-a', 'handle-b']);
});

test('at the end those that are still hidden are made visible, and no others', async () => {
  const { deadLetters, shown } = scripted(['lapsed'], ['a', 'b']);
  const [lapsed] = await deadLetters.receive();
  vi.advanceTimersByTime(9_600);
  const [a] = await deadLetters.receive();
  if (a === undefined || lapsed === undefined) throw new Error('nothing was received');
  expect([deadLetters.isOurs(lapsed), deadLetters.isOurs(a)]).toEqual([false, true]);
  await deadLetters.remove(a);
  await deadLetters.returnAll();
  expect(shown).toEqual(['handle-b']);
});

describe('whether other dead letters are there', () => {
  const counting = (changes: object) => ({ ...NO_MESSAGES, ...changes });

  test.each(Object.keys(NO_MESSAGES))('%s says so, however often it is asked', async (name) => {
    const { attributes, deadLetters } = scripted();
    attributes.mockResolvedValue(counting({ [name]: '1' }));
    const answer = deadLetters.hasOthers();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await answer, attributes.mock.calls.length]).toEqual([true, 5]);
  });

  test('a count that was late is asked for again', async () => {
    const { attributes, deadLetters } = scripted();
    attributes.mockResolvedValueOnce(counting({ ApproximateNumberOfMessagesNotVisible: '3' }));
    const answer = deadLetters.hasOthers();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await answer, attributes.mock.calls.length]).toEqual([false, 2]);
  });

  test('those that were kept are no others', async () => {
    const { attributes, deadLetters } = scripted(['a', 'b']);
    for (const deadLetter of await deadLetters.receive()) deadLetters.keep(deadLetter);
    attributes.mockResolvedValue(counting({ ApproximateNumberOfMessages: '2' }));
    expect(await deadLetters.hasOthers()).toBe(false);
  });

  test('where the queue does not say, there may be some', async () => {
    const { attributes, deadLetters } = scripted();
    attributes.mockRejectedValue(new Error('AccessDenied'));
    const answer = deadLetters.hasOthers();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await answer).toBe(true);
  });

  test('a run that is over does not ask again', async () => {
    const { attributes, deadLetters, stop } = scripted();
    attributes.mockImplementation(() => {
      stop.isOver = true;
      return Promise.resolve(counting({ ApproximateNumberOfMessages: '1' }));
    });
    const answer = deadLetters.hasOthers();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await answer, attributes.mock.calls.length]).toEqual([true, 1]);
  });
});
