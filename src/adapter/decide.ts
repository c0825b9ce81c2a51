import type { DeadLetterDestination, DeadLetterReason } from './dead-letter.ts';
import { type Ending, endingOf, type Handled } from './handled.ts';

/** What becomes of a message that failed for good. One that is refused is dead-lettered too, or else kept. */
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

/** The one table: how the handling of a delivery ended, and what is then done at its broker. */
export function decide(handled: Handled<unknown>, onFailed: OnFailed): Decision {
  const ending = endingOf(handled);
  switch (ending) {
    case 'succeeded':
      return { action: 'acknowledge' };
    case 'failed':
      if (onFailed === 'acknowledge') return { action: 'acknowledge' };
      return onFailed === 'keep'
        ? { action: 'keep', reason: ending }
        : { action: 'dead-letter', destination: onFailed, reason: ending };
    // Never passed in silence: the message may be one that no handler has seen.
    case 'mismatch':
    case 'invalid-key':
      return typeof onFailed === 'object'
        ? { action: 'dead-letter', destination: onFailed, reason: ending }
        : { action: 'keep', reason: ending };
    case 'in-flight':
    case 'released':
    case 'suspect':
    case 'lease-lost':
    case 'unrecorded':
      return { action: 'keep', reason: ending, ...retryTime(handled) };
    case 'aborted':
      return { action: 'keep', reason: ending, retryAfterMs: 0 };
    case 'store-error':
    case 'error':
      return { action: 'keep', reason: ending };
  }
}

function retryTime(handled: Handled<unknown>): { readonly retryAfterMs?: number } {
  const isPending = 'outcome' in handled && handled.outcome.state === 'pending';
  return isPending ? { retryAfterMs: handled.outcome.retryAfterMs } : {};
}
