import type { Backoff } from '../backoff.ts';
import type { HandleOnceEvent } from '../diagnostics.ts';
import type { EventSink } from '../event-sink.ts';
import type { HandleOnceSettings } from '../options.ts';
import type { LeaseAlarms } from './lease.ts';
import type { Records } from '../store/records.ts';

/** What every step of one `handleOnce` shares. */
export interface Engine {
  readonly settings: HandleOnceSettings;
  readonly backoff: Backoff;
  readonly records: Records;
  readonly events: EventSink<HandleOnceEvent>;
  readonly leaseAlarms: LeaseAlarms;
}

/** A claim that is ours. */
export interface Claim {
  readonly key: string;
  readonly token: string;
  readonly attempts: number;
  /** When the claim was sent, on our monotonic clock: not later than the database's start of the lease. */
  readonly sentAt: number;
}

/** Monotonic milliseconds. It only decides when to give up; leases are decided by the database's clock. */
export function monotonicNow(): number {
  return performance.now();
}
