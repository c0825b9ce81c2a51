import type { Clock, Timer } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store/store.ts';
import type { MemoryStore } from '../memory/memory.ts';

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

/**
 * A store as a process that can die uses it: from then on nothing arrives, and nothing is answered. `onKept` is called
 * when steps are on record, before their process hears of it.
 */
export function createMortalStore(store: MemoryStore, onKept: () => Promise<void>): Store & { die(): void } {
  let isDead = false;

  function whileAlive<Request, Terms, Reply>(verb: (requests: Request, terms: Terms) => Promise<Reply>) {
    return (requests: Request, terms: Terms): Promise<Reply> =>
      isDead ? new Promise(() => undefined) : verb(requests, terms);
  }

  return {
    claim: whileAlive((requests, terms) => store.claim(requests, terms)),
    settle: whileAlive((requests, scope) => store.settle(requests, scope)),
    extend: whileAlive((requests, terms) => store.extend(requests, terms)),
    keep: whileAlive(async (requests, scope) => {
      const replies = await store.keep(requests, scope);
      await onKept();
      return replies;
    }),
    die() {
      isDead = true;
    },
  };
}
