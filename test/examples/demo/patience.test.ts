import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPatience } from '../../../examples/demo/patience.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

it('ends when nothing happens for its time, however long the demo takes', () => {
  const { signal, progressed } = createPatience(60_000);
  for (let times = 0; times < 10; times += 1) {
    vi.advanceTimersByTime(59_000);
    progressed();
  }
  vi.advanceTimersByTime(59_999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect((signal.reason as Error).message).toBe('no progress for 60 s');
});
