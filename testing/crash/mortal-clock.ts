import type { Clock, Timer } from '../../src/lib/clock.ts';

/** The clock of a process that can die: from then on none of its timers rings. */
export function createMortalClock(clock: Clock): Clock & { die(): void } {
  const timers = new Set<Timer>();
  let isDead = false;

  function kept(timer: Timer): Timer {
    timers.add(timer);
    if (isDead) clock.clearTimer(timer);
    return timer;
  }

  return {
    ...clock,
    setTimer(callback, milliseconds) {
      const timer = clock.setTimer(() => {
        timers.delete(timer);
        callback();
      }, milliseconds);
      return kept(timer);
    },
    setRepeating: (callback, milliseconds) => kept(clock.setRepeating(callback, milliseconds)),
    clearTimer(timer) {
      if (timer !== undefined) timers.delete(timer);
      clock.clearTimer(timer);
    },
    afterInput(callback) {
      clock.afterInput(() => {
        if (!isDead) callback();
      });
    },
    die() {
      isDead = true;
      for (const timer of timers) clock.clearTimer(timer);
    },
  };
}
