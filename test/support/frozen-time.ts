import { afterEach, beforeEach, vi } from 'vitest';

/** What SIGSTOP and SIGCONT do, with fake timers: time passes, and no timer runs. Returns what freezes the process. */
export function useFrozenTime(): (milliseconds: number) => void {
  let frozenMs = 0;

  beforeEach(() => {
    vi.useFakeTimers();
    const now = performance.now.bind(performance);
    frozenMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + frozenMs);
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  return (milliseconds) => {
    frozenMs += milliseconds;
  };
}
