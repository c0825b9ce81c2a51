import { type Alarm, createAlarm } from '../lib/alarm.ts';

/** The alarms of all leases of one `handleOnce`. */
export interface LeaseAlarms {
  readonly heartbeat: Alarm;
  readonly lapse: Alarm;
}

/** Our own idea of a lease ends this much of it early, never late: the time that a claim or heartbeat may travel. */
const TRAVEL_SHARE = 0.02;

/** Milliseconds after the last confirmed heartbeat was sent at which a lease has lapsed, as far as its owner knows. */
export function lapseDelay(leaseMs: number): number {
  return leaseMs * (1 - TRAVEL_SHARE);
}

export function createLeaseAlarms(leaseMs: number): LeaseAlarms {
  return { heartbeat: createAlarm(leaseMs / 3), lapse: createAlarm(lapseDelay(leaseMs)) };
}
