import type { Clock } from '../../../../src/lib/clock.ts';
import { isRetriable, nonRetriable, retriesExceeded } from '../broker/errors.ts';

const MOST_RETRIES = 5;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 30_000;
const FACTOR = 0.2;

/** Ends the tries with an error, as it is. */
export type Bail = (error: Error) => void;

/** Tries again and again, as kafkajs does: five times, by default, and the waits double. */
export function retrying<Result>(
  clock: Clock,
  work: (bail: Bail) => Promise<Result>,
  mostRetries = MOST_RETRIES,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const fail: Bail = (error) => {
      isOver = true;
      reject(error);
    };

    function tryOnce(waitMs: number, retries: number): void {
      if (isOver) return;
      work(fail).then(resolve, (error: unknown) => {
        if (!isRetriable(error)) fail(nonRetriable(error));
        else if (retries === mostRetries) fail(retriesExceeded(error));
        else {
          const nextMs = Math.min(2 * jittered(clock, waitMs), LONGEST_WAIT_MS);
          clock.setTimer(() => {
            tryOnce(nextMs, retries + 1);
          }, waitMs);
        }
      });
    }

    tryOnce(jittered(clock, FIRST_WAIT_MS), 0);
  });
}

function jittered(clock: Clock, milliseconds: number): number {
  return milliseconds * (1 - FACTOR + 2 * FACTOR * clock.random());
}
