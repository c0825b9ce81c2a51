import type { Outcome } from 'handle-once';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PartitionTracker } from '../../adapters/kafka/partition/partition-tracker.ts';
import { createSplitByTime } from '../../adapters/kafka/retry/retry-due.ts';
import { nextTopic } from '../../adapters/kafka/retry/retry-topics.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { message } from './support/messages.ts';

describe('The next topic of a message', () => {
  const TOPICS = [
    { topic: 'retry-5s', delayMs: 5_000 },
    { topic: 'retry-1m', delayMs: 60_000 },
  ];
  const released = (attempts: number, retryAfterMs: number): Outcome<never> => ({
    state: 'pending',
    reason: 'released',
    attempts,
    retryAfterMs,
  });

  test.each<[from: string, attempts: number, retryAfterMs: number, to: string | undefined]>([
    ['orders', 1, 0, undefined],
    ['orders', 1, 4_999, undefined],
    ['orders', 1, 5_000, 'retry-5s'],
    ['orders', 2, 0, 'retry-5s'],
    ['orders', 2, 5_001, 'retry-1m'],
    ['orders', 2, 60_001, 'retry-1m'],
    ['retry-5s', 1, 0, 'retry-5s'],
    ['retry-1m', 9, 0, 'retry-5s'],
    ['retry-1m', 9, 60_000, 'retry-1m'],
  ])('from %s, after attempt %i with a wait of %i ms, is %s', (from, attempts, retryAfterMs, to) => {
    expect(nextTopic(TOPICS, from, released(attempts, retryAfterMs))?.topic).toBe(to);
  });

  test.each<Outcome<unknown>>([
    { state: 'succeeded', replayed: false, attempts: 3, result: 1 },
    { state: 'failed', reason: 'terminal', replayed: false, attempts: 3, error: { name: 'E', message: '' } },
    { state: 'pending', reason: 'in-flight', attempts: 3, retryAfterMs: 1 },
    { state: 'pending', reason: 'suspect', attempts: 3, retryAfterMs: 1 },
    { state: 'pending', reason: 'lease-lost', attempts: 3, retryAfterMs: 1 },
    { state: 'pending', reason: 'unrecorded', attempts: 3, retryAfterMs: 1 },
  ])('is none for $state, $reason', (outcome) => {
    expect(nextTopic(TOPICS, 'orders', outcome)).toBeUndefined();
  });
});

describe('The messages of a retry topic', () => {
  const DELAY_MS = 5_000;
  const NOW = 1_800_000_000_000;
  const tracker = new PartitionTracker({ topic: 'retry-5s', partition: 0 }, systemClock);
  const producedAt = (offset: number, at: number) => message(offset, { timestamp: String(NOW + at) });

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('are due when they have waited, and the next look is when the first of the others is due', () => {
    const split = createSplitByTime(systemClock);
    const messages = [producedAt(0, -DELAY_MS), producedAt(1, -3_000), producedAt(2, -2_000)];
    const { due, nextAt } = split(tracker, messages, DELAY_MS);
    expect(due).toEqual([messages[0]]);
    expect(nextAt).toBe(performance.now() + 2_000);
    vi.advanceTimersByTime(2_000);
    expect(split(tracker, messages.slice(1), DELAY_MS).due).toEqual([messages[1]]);
  });

  test('wait no longer than the delay, whatever the clocks say', () => {
    const split = createSplitByTime(systemClock);
    const messages = [producedAt(0, 3_600_000), producedAt(1, 3_600_000)];
    expect(split(tracker, messages, DELAY_MS)).toEqual({ due: [], nextAt: performance.now() + DELAY_MS });
    vi.advanceTimersByTime(DELAY_MS - 1);
    expect(split(tracker, messages, DELAY_MS).due).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(split(tracker, messages, DELAY_MS)).toEqual({ due: messages, nextAt: undefined });
  });

  test('are not fetched for each that is due: the next look is a tenth of the delay away at least', () => {
    const messages = [producedAt(0, -DELAY_MS + 1)];
    expect(createSplitByTime(systemClock)(tracker, messages, DELAY_MS).nextAt).toBe(
      performance.now() + DELAY_MS / 10,
    );
  });

  test('without a timestamp do not wait', () => {
    const messages = [message(0, { timestamp: '-1' })];
    expect(createSplitByTime(systemClock)(tracker, messages, DELAY_MS).due).toEqual(messages);
  });
});
