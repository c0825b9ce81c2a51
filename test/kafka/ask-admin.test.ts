import { describe, expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { askPatiently, committedIn, endsOf } from '../../adapters/kafka/log/ask-admin.ts';
import { pass } from './support/bench.ts';

vi.mock('node:timers/promises', () => import('./support/fake-sleep.ts'));

useFakeTimers();

const isOver = () => false;
const ends = [{ partition: 0, offset: '1', low: '0', high: '1' }];

describe('a patient question', () => {
  test.each<[string, unknown]>([
    ['a broker that loads its groups', Object.assign(new Error('loading'), { retriable: true })],
    ['a client without metadata of the topic', new TypeError('Cannot destructure')],
    ['anything', 'text'],
  ])('is asked again: %s', async (_, error) => {
    const ask = vi.fn().mockRejectedValueOnce(error).mockResolvedValue('answer');
    const answer = askPatiently(ask, isOver);
    await pass(500);
    expect([await answer, ask.mock.calls.length]).toEqual(['answer', 2]);
  });

  test('is thrown at once where the error stays', async () => {
    const error = Object.assign(new Error('denied'), { retriable: false });
    const ask = vi.fn().mockRejectedValue(error);
    await expect(askPatiently(ask, isOver)).rejects.toBe(error);
    expect(ask).toHaveBeenCalledOnce();
  });

  test('ends after ten seconds, however long one try takes', async () => {
    const slow = () =>
      new Promise((_, reject) => {
        setTimeout(reject, 7_000, new Error('timed out'));
      });
    const ask = vi.fn(slow);
    const ended = vi.fn();
    askPatiently(ask, isOver).catch(ended);
    await pass(60_000);
    expect([ask.mock.calls.length, ended.mock.calls]).toEqual([2, [[new Error('timed out')]]]);
  });

  test('is not asked again once nothing waits for its answer', async () => {
    const ask = vi.fn().mockRejectedValue(new Error('loading'));
    let isWanted = true;
    const answer = askPatiently(ask, () => !isWanted);
    await pass();
    isWanted = false;
    await pass(60_000);
    expect([await answer, ask.mock.calls.length]).toEqual([undefined, 1]);
  });
});

describe('an answer that lacks a partition is refused', () => {
  const answerOf = (...partitions: number[]) => [
    { topic: 'orders', partitions: partitions.map((partition) => ({ partition, offset: '3' })) },
  ];

  test.each([[[]], [answerOf()], [answerOf(0)]])('of what is committed: %j', async (answer) => {
    const fetchOffsets = vi.fn().mockResolvedValue(answer);
    await expect(committedIn({ fetchOffsets }, 'workers', 'orders', [0, 1])).rejects.toThrow(
      'does not know all partitions of orders',
    );
  });

  test.each([[[]], [ends]])('of the ends: %j', async (answer) => {
    const fetchTopicOffsets = vi.fn().mockResolvedValue(answer);
    await expect(endsOf({ fetchTopicOffsets }, 'orders', [0, 1])).rejects.toThrow('partitions of orders');
  });

  test('and one that has more is taken', async () => {
    const fetchOffsets = vi.fn().mockResolvedValue(answerOf(0, 1));
    expect((await committedIn({ fetchOffsets }, 'workers', 'orders', [1])).get(1)?.offset).toBe('3');
    expect(await endsOf({ fetchTopicOffsets: vi.fn().mockResolvedValue(ends) }, 'orders')).toBe(ends);
  });
});
