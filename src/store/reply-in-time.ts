import type { Alarm } from '../alarm.ts';
import { StoreError } from '../errors.ts';

/** A reply, or a retriable `StoreError` when the alarm goes first: a connection can hang without an error. */
export function replyInTime<T>(reply: Promise<T>, alarm: Alarm, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const takeOff = alarm.set(() => {
      reject(
        new StoreError(
          `the store gave no reply within ${Math.round(timeoutMs)} ms: is the database reachable, and its pool large enough?`,
          { retriable: true },
        ),
      );
    });
    void reply.then(resolve, reject).finally(takeOff);
  });
}
