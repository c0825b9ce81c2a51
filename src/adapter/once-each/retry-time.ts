import { meaningOf } from '../../words/endings.ts';
import type { Kept } from '../verdict.ts';

/** After a failure of the store, the broker or our own code. */
const OUTAGE_MS = 5_000;
/** Where a person has to act. */
const STUCK_MS = 60_000;

/** Milliseconds after which a kept message is worth another delivery. */
export function retryTimeOf({ reason, retryAfterMs }: Kept): number {
  return retryAfterMs ?? (needsPerson(reason) ? STUCK_MS : OUTAGE_MS);
}

/** Whether the message can be settled by another try, without a person. */
export function isWorthWaiting({ reason }: Kept): boolean {
  return !needsPerson(reason) && reason !== 'aborted';
}

function needsPerson(reason: string): boolean {
  return meaningOf(reason).verb !== 'keep';
}
