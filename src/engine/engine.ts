import type { Backoff } from '../options/backoff.ts';
import type { HandleOnceEvent } from '../api/events.ts';
import type { EventSink } from '../reporting/event-sink.ts';
import type { Instant } from '../lib/instant.ts';
import type { HandleOnceSettings } from '../options/options.ts';
import type { Records } from '../store/records.ts';
import type { LeaseAlarms } from './lease-alarms.ts';
import type { SuspectPlace } from './suspect-place.ts';

/** What every step of one `handleOnce` shares. */
export interface Engine {
  readonly settings: HandleOnceSettings;
  readonly backoff: Backoff;
  readonly records: Records;
  readonly events: EventSink<HandleOnceEvent>;
  readonly leaseAlarms: LeaseAlarms;
  readonly suspects: SuspectPlace;
}

/** A claim that this call owns. */
export interface Claim {
  readonly key: string;
  readonly token: string;
  readonly attempts: number;
  /** How many of the attempts before this one failed. */
  readonly failures: number;
  /** When the claim was sent: not later than the database's start of the lease. */
  readonly sentAt: Instant;
  /** When the call began, in monotonic milliseconds. */
  readonly startedAt: number;
}

/** Monotonic milliseconds. It only decides when to give up; leases are decided by the database's clock. */
export function monotonicNow(): number {
  return performance.now();
}

/** What the event that ends a call says beyond its type. */
export function endOf<State extends 'succeeded' | 'failed' | 'pending'>(
  engine: Engine,
  { key, startedAt }: { readonly key: string; readonly startedAt: number },
  attempts: number,
  state: State,
): { scope: string; key: string; state: State; attempts: number; durationMs: number } {
  const { scope } = engine.settings;
  return { scope, key, state, attempts, durationMs: monotonicNow() - startedAt };
}
