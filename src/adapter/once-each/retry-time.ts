import type { KeptReason } from '../handled.ts';
import type { Kept } from '../verdict.ts';

/** After a failure of the store, the broker or our own code. */
const OUTAGE_MS = 5_000;
/** For what only a person can change. */
const STUCK_MS = 60_000;

const WAITS: Readonly<Partial<Record<KeptReason, number>>> = {
  failed: STUCK_MS,
  mismatch: STUCK_MS,
  'invalid-key': STUCK_MS,
};

/** Milliseconds after which a kept message is worth another delivery. */
export function retryTimeOf({ reason, retryAfterMs }: Kept): number {
  return retryAfterMs ?? WAITS[reason] ?? OUTAGE_MS;
}

/** Whether the message can be settled by another try, without a person. */
export function isWorthWaiting({ reason }: Kept): boolean {
  return WAITS[reason] === undefined && reason !== 'aborted';
}
