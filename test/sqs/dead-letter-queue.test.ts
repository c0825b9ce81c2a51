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
  const requests: object[] = [];
  const attributes = vi.fn<Queue['attributes']>().mockResolvedValue(NO_MESSAGES);
  const remove = vi.fn<Queue['delete']>().mockResolvedValue({ done: true });
  const queue = {
    ...{ attributes, isFifo: false, delete: remove },
    receive(request: object) {
      requests.push(request);
      const ids = receives.shift() ?? [];
      return Promise.resolve(ids.map((id) => ({ MessageId: id, ReceiptHandle: `handle-${id}` })));
    },
    changeVisibility(handle: string) {
      shown.push(handle);
      return Promise.resolve({ done: true });
    },
  };
  const stop = { isOver: false };
  const deadLetters = createDeadLetterQueue('redriveQueue', queue as unknown as Queue, 10);
  const receive = () => deadLetters.receive(() => stop.isOver);
  const hasOthers = () => deadLetters.hasOthers(() => stop.isOver);
  return {
    ...{ queue, shown, requests, stop, attributes, remove },
    polls: () => requests.length,
    deadLetters: { ...deadLetters, receive, hasOthers },
  };
}

test('dead letters are hidden from others from their receive on', async () => {
  const { deadLetters, requests } = scripted(['a']);
  await deadLetters.receive();
  expect(requests).toMatchObject([{ max: 10, waitTimeSeconds: 1, visibilityTimeoutSeconds: 10 }]);
});

test('one that the queue does not delete ends the call with what the queue says', async () => {
  const { deadLetters, remove } = scripted(['a']);
  remove.mockResolvedValue({ done: false, code: 'InternalError', retriable: true });
  const [a] = await deadLetters.receive();
  if (a === undefined) throw new Error('nothing was received');
  await expect(deadLetters.remove(a)).rejects.toThrow('the queue refused the entry: InternalError');
});

test('in a FIFO queue those that were kept are shown at its end, once for all that came: others are behind them', async () => {
  const { deadLetters, queue, shown, polls } = scripted(['a'], [], ['b'], [], []);
  queue.isFifo = true;
  const ids: string[] = [];
  for (let batch = await deadLetters.receive(); batch.length > 0; batch = await deadLetters.receive()) {
    for (const deadLetter of batch) deadLetters.keep(deadLetter);
    ids.push(...batch.map(({ messageId }) => messageId));
  }
  expect([ids, shown, polls()]).toEqual([['a', 'b'], ['handle-a', 'handle-b'], 5]);
});

test.each<[state: string, isOver: boolean, isKept: boolean]>([
  ['that is over', true, true],
  ['of which none was kept', false, false],
])('in a run %s no message of a FIFO queue becomes visible before its end', async (_, isOver, isKept) => {
  const { deadLetters, queue, shown, stop } = scripted(['a'], [], []);
  queue.isFifo = true;
  for (const deadLetter of await deadLetters.receive()) if (isKept) deadLetters.keep(deadLetter);
  stop.isOver = isOver;
  expect([await deadLetters.receive(), shown]).toEqual([[], []]);
});

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
  const late = scripted(['late']);
  await late.deadLetters.receive();
  vi.advanceTimersByTime(9_600);
  await late.deadLetters.returnAll();
  expect(late.shown).toEqual([]);
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
