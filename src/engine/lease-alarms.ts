import { createAlarm } from '../lib/alarm.ts';
import type { Clock } from '../lib/clock.ts';

/** Two can fail before the lease lapses. */
export const BEATS_PER_LEASE = 3;

/** How soon a heartbeat is sent again whose record a transaction has locked, and a settle at the latest. */
export const RESENDS_PER_LEASE = 12;

/**
 * A lease counts as lapsed here this share of it early, since the reply that confirmed it took time to travel. How long
 * it lasts in the database, as for the wait for a settle's reply, is all of it.
 */
const TRAVEL_SHARE = 0.02;

/** Milliseconds after the last confirmed heartbeat was sent at which a lease has lapsed, as far as its owner knows. */
export function lapseDelay(leaseMs: number): number {
  return leaseMs * (1 - TRAVEL_SHARE);
}

const DOUBT_SHARE = 0.1;
const LONGEST_DOUBT_MS = 1_000;

/** Milliseconds that the database has to answer while only the wall clock says that a lease is over. */
export function doubtDelay(leaseMs: number): number {
  return Math.min(leaseMs * DOUBT_SHARE, LONGEST_DOUBT_MS);
}

export type LeaseAlarms = ReturnType<typeof createLeaseAlarms>;

/** The alarms of all leases of one `handleOnce`. */
export function createLeaseAlarms(leaseMs: number, clock: Clock) {
  return {
    heartbeat: createAlarm(leaseMs / BEATS_PER_LEASE, clock),
    lapse: createAlarm(lapseDelay(leaseMs), clock),
    /** When a lease that is in doubt is given up. */
    doubt: createAlarm(doubtDelay(leaseMs), clock),
  };
}
