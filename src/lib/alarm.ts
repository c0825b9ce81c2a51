import type { Clock, Timer } from './clock.ts';

export type Alarm = ReturnType<typeof createAlarm>;

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * Calls back after one fixed delay, with one timer for all callbacks.
 *
 * Nearly every callback is removed before its time: a reply comes, an attempt ends. A timer of Node for each would cost
 * a message more than its hash does. The timer stays set when nothing waits any more, and does not keep the process
 * alive.
 */
export function createAlarm(delayMs: number, clock: Clock) {
  /** In the order of their times, since all have the same delay. */
  const entries = new Set<Entry>();
  let timer: Timer | undefined;

  function ring(): void {
    const now = clock.monotonic();
    for (const entry of entries) {
      if (entry.at > now) break;
      entries.delete(entry);
      entry.callback();
    }
    // Only now: a callback that set the alarm again must not arm it for later than the entries that wait.
    timer = undefined;
    const [first] = entries;
    if (first !== undefined) arm(first.at - now);
  }

  function arm(milliseconds: number): void {
    if (timer !== undefined) return;
    timer = clock.setTimer(ring, milliseconds);
    timer.unref();
  }

  return {
    /** Returns what removes the callback again. */
    set(callback: () => void): () => void {
      const entry = { at: clock.monotonic() + delayMs, callback };
      entries.add(entry);
      arm(delayMs);
      return () => {
        entries.delete(entry);
      };
    },
  };
}
