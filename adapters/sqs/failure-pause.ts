import { type Clock, retryWait, type Timer } from '../../src/adapter-kit.ts';

const PAUSES = { baseMs: 200, maxMs: 30_000 };

/** A wait that doubles with every failure, with jitter, until something succeeds. */
export function createPause(onResume: () => void, clock: Clock) {
  let failures = 0;
  let timer: Timer | undefined;

  function resume(): void {
    timer = undefined;
    onResume();
  }

  return {
    /** Starts a pause, unless one is running: many failures at once are one. */
    fail(): void {
      if (timer !== undefined) return;
      failures += 1;
      timer = clock.setTimer(resume, retryWait(PAUSES, failures, clock));
    },
    succeed(): void {
      failures = 0;
    },
    isPaused: () => timer !== undefined,
    /** Whether the last thing that is known is a failure. */
    isFailing: () => failures > 0,
    cancel(): void {
      clock.clearTimer(timer);
      timer = undefined;
    },
  };
}
