import type { DeadLetterDestination, DeadLetterReason } from './dead-letter.ts';
import { type Ending, endingOf, type Handled, hasVerb } from '../words/endings.ts';

/** What becomes of a message that failed permanently. One that is refused is dead-lettered too, or else kept. */
export type OnFailed = 'acknowledge' | 'keep' | DeadLetterDestination;

/** What is done with a message at its broker. */
export type Decision =
  | { readonly action: 'acknowledge' }
  /** Send a copy to the dead letters, and acknowledge the message once that has succeeded. */
  | {
      readonly action: 'dead-letter';
      readonly destination: DeadLetterDestination;
      readonly reason: DeadLetterReason;
    }
  | {
      readonly action: 'keep';
      readonly reason: Exclude<Ending, 'succeeded'>;
      /** Milliseconds until another delivery can hope for more. Undefined where that is not known. */
      readonly retryAfterMs?: number;
    };

/** What is done at the broker, by how the handling of a delivery ended. */
export function decide(handled: Handled<unknown>, onFailed: OnFailed): Decision {
  const reason = endingOf(handled);
  if (hasVerb(reason, 'acknowledge')) return { action: 'acknowledge' };
  if (hasVerb(reason, 'as-chosen') && onFailed === 'acknowledge') return { action: 'acknowledge' };
  if (!hasVerb(reason, 'keep') && typeof onFailed === 'object') {
    return { action: 'dead-letter', destination: onFailed, reason };
  }
  if (handled.state === 'pending') return { action: 'keep', reason, retryAfterMs: handled.retryAfterMs };
  return { action: 'keep', reason, ...(reason === 'aborted' ? { retryAfterMs: 0 } : {}) };
}
