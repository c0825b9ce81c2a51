import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the next turn. False where the signal has aborted. */
export type Pace = () => Promise<boolean>;

/** At most so many turns a second, evenly. */
export function createPace(perSecond: number, signal: AbortSignal | undefined): Pace {
  let nextAt = 0;
  return async () => {
    const now = performance.now();
    const waitMs = nextAt - now;
    nextAt = Math.max(now, nextAt) + 1_000 / perSecond;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    return signal?.aborted !== true;
  };
}
