import type { Alarm } from '../lib/alarm.ts';
import { StoreError } from '../api/errors.ts';

/**
 * A reply, or a retriable `StoreError` when the alarm goes first: a connection can hang without an error.
 *
 * In a process that stood still the alarm rings before a reply that came meanwhile is read: that reply still counts.
 */
export function replyInTime<T>(reply: Promise<T>, alarm: Alarm, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = alarm.set(() => {
      setImmediate(() => {
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
