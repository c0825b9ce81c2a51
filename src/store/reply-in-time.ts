import { createAlarm } from '../lib/alarm.ts';
import type { Clock } from '../lib/clock.ts';
import { StoreError } from '../words/errors.ts';

/** Called once. `failed`: there was no reply, or an error. */
export type Ended = (failed: boolean) => void;

/**
 * Bounds the wait for a reply by a retriable `StoreError`: a connection can hang without an error.
 *
 * After the process was stopped, the alarm rings before a reply that has arrived is read: it still counts.
 */
export function createReplyLimit(
  timeoutMs: number,
  clock: Clock,
): <T>(reply: Promise<T>, ended?: Ended) => Promise<T> {
  const alarm = createAlarm(timeoutMs, clock);
  return (reply, ended) =>
    new Promise((resolve, reject) => {
      let hasEnded = false;

      function end(failed: boolean): void {
        if (hasEnded) return;
        hasEnded = true;
        cancel();
        ended?.(failed);
      }

      const cancel = alarm.set(() => {
        clock.afterInput(() => {
          end(true);
          reject(noReply(timeoutMs));
        });
      });
      reply.then(
        (value) => {
          end(false);
          resolve(value);
        },
        () => {
          end(true);
          // Rejects as the reply did.
          resolve(reply);
        },
      );
    });
}

function noReply(timeoutMs: number): StoreError {
  return new StoreError(
    `the store gave no reply within ${Math.round(timeoutMs)} ms: is the database reachable, and its pool large enough?`,
    { retriable: true },
  );
}
