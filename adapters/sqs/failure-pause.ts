import { type Clock, retryWait, spread, type Timer } from '../../src/adapter-kit.ts';

const PAUSES = { baseMs: 200, maxMs: 30_000 };

/** A wait that doubles with every failure, with jitter, until something succeeds. */
export interface Pause {
  /** Starts a pause, unless one is running: many failures at once are one. */
  fail(): void;
  succeed(): void;
  isPaused(): boolean;
  /** Whether the last thing that is known is a failure. */
  isFailing(): boolean;
  cancel(): void;
}

export function createPause(onResume: () => void, clock: Clock): Pause {
  let failures = 0;
  let timer: Timer | undefined;

  function resume(): void {
    timer = undefined;
    onResume();
  }

  return {
    fail() {
      if (timer !== undefined) return;
      failures += 1;
      timer = clock.setTimer(resume, spread(retryWait(PAUSES, failures), clock));
    },
    succeed() {
      failures = 0;
    },
    isPaused: () => timer !== undefined,
    isFailing: () => failures > 0,
    cancel() {
      clock.clearTimer(timer);
      timer = undefined;
    },
  };
}
