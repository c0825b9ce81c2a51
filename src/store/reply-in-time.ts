import { createAlarm } from '../lib/alarm.ts';
import type { Clock } from '../lib/clock.ts';
import { StoreError } from '../api/errors.ts';

/**
 * What makes of a reply one that comes in time, or a retriable `StoreError`: a connection can hang without an error.
 *
 * In a process that stood still the alarm rings before a reply that came meanwhile is read: that reply still counts.
 */
export function createReplyLimit(timeoutMs: number, clock: Clock): <T>(reply: Promise<T>) => Promise<T> {
  const alarm = createAlarm(timeoutMs, clock);
  return (reply) =>
    new Promise((resolve, reject) => {
      const cancel = alarm.set(() => {
        clock.afterInput(() => {
          reject(noReply(timeoutMs));
        });
      });
      void reply.then(resolve, reject).finally(cancel);
    });
}

function noReply(timeoutMs: number): StoreError {
  return new StoreError(
    `the store gave no reply within ${Math.round(timeoutMs)} ms: is the database reachable, and its pool large enough?`,
    { retriable: true },
  );
}
