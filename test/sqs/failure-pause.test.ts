import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPause } from '../../adapters/sqs/failure-pause.ts';
import { systemClock } from '../../src/adapter-kit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** How long each of some pauses in a row takes. */
function pauses(count: number): number[] {
  const pause = createPause(() => undefined, systemClock);
  return Array.from({ length: count }, () => {
    const start = Date.now();
    pause.fail();
    while (pause.isPaused()) vi.advanceTimersToNextTimer();
    return Date.now() - start;
  });
}

test('pauses double from 200 ms to 30 s, and take at least half of that', () => {
  const longest = [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000];
  pauses(longest.length).forEach((took, index) => {
    expect(took).toBeGreaterThanOrEqual((longest[index] ?? 0) / 2);
    expect(took).toBeLessThanOrEqual(longest[index] ?? 0);
  });
});

test('many failures at once are one, and the end of the pause is told once', () => {
  const onResume = vi.fn();
  const pause = createPause(onResume, systemClock);
  for (let failure = 0; failure < 50; failure += 1) pause.fail();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(200);
  expect(onResume).toHaveBeenCalledTimes(1);
  expect(pause.isPaused()).toBe(false);
  expect(pause.isFailing()).toBe(true);
});

test('after a success the count starts at zero again', () => {
  const pause = createPause(() => undefined, systemClock);
  for (let failure = 0; failure < 6; failure += 1) {
    pause.fail();
    vi.runAllTimers();
  }
  pause.succeed();
  expect(pause.isFailing()).toBe(false);
  pause.fail();
  vi.advanceTimersByTime(200);
  expect(pause.isPaused()).toBe(false);
});

test('a cancelled pause resumes nothing', () => {
  const onResume = vi.fn();
  const pause = createPause(onResume, systemClock);
  pause.fail();
  pause.cancel();
  vi.runAllTimers();
  expect(onResume).not.toHaveBeenCalled();
});
