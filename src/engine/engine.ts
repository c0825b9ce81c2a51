import type { Backoff } from '../options/backoff.ts';
import type { HandleOnceEvent } from '../reporting/events.ts';
import type { EventSink } from '../reporting/event-sink.ts';
import type { Instant } from '../lib/instant.ts';
import type { HandleOnceSettings } from './settings.ts';
import type { Records } from '../store/records.ts';
import type { Host } from './host.ts';
import type { LeaseAlarms } from './lease-alarms.ts';

/** What every step of one `handleOnce` shares. */
export interface Engine extends Host {
  readonly settings: HandleOnceSettings;
  readonly backoff: Backoff;
  readonly records: Records;
  readonly events: EventSink<HandleOnceEvent>;
  readonly leaseAlarms: LeaseAlarms;
}

/** A claim that this call owns. */
export interface Claim {
  readonly key: string;
  readonly token: string;
  readonly attempts: number;
  /** How many of the attempts before this one failed. */
  readonly failures: number;
  /** Milliseconds from the first claim of the message to this one, by the store's clock. */
  readonly ageMs: number;
  /** What earlier attempts have done, as JSON text. Undefined where they kept nothing. */
  readonly steps: string | undefined;
  /** When the claim was sent: not later than the database's start of the lease. */
  readonly sentAt: Instant;
  /** When its reply came, in monotonic milliseconds: a claim can have waited for a connection. */
  readonly repliedMs: number;
  /** When the call began, in monotonic milliseconds. Decides when to give up, never who has the lease. */
  readonly startedAt: number;
}

/** The fields of the event that ends a call. */
export function endOf<State extends 'succeeded' | 'failed' | 'pending'>(
  engine: Engine,
  { key, startedAt }: { readonly key: string; readonly startedAt: number },
  attempts: number,
  state: State,
): { scope: string; key: string; state: State; attempts: number; durationMs: number } {
  const { scope } = engine.settings;
  return { scope, key, state, attempts, durationMs: engine.clock.monotonic() - startedAt };
}
