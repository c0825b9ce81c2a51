const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;

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

export function createPause(onResume: () => void): Pause {
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;

  function resume(): void {
    timer = undefined;
    onResume();
  }

  return {
    fail() {
      if (timer !== undefined) return;
      const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
      failures += 1;
      timer = setTimeout(resume, longest / 2 + (Math.random() * longest) / 2);
    },
    succeed() {
      failures = 0;
    },
    isPaused: () => timer !== undefined,
    isFailing: () => failures > 0,
    cancel() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
