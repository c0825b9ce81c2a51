import { type Handled, requireHandled, type ThrownReason, thrownReason } from './handled.ts';
import type { Outcome, PendingReason } from '../outcome.ts';

/** What to do with a message that has failed for good. */
export type OnFailed = 'delete' | 'leave' | { readonly deadLetterQueueUrl: string };

/** What is done with the message at the queue. */
export type Disposition =
  | { readonly action: 'delete' }
  /** Send a copy to the dead-letter queue, and delete the message once that has succeeded. */
  | { readonly action: 'dead-letter'; readonly deadLetterQueueUrl: string }
  /** Keep the message. Without a time it is not touched, and its visibility timeout runs out. */
  | { readonly action: 'leave'; readonly visibleAfterMs?: number };

const UNTOUCHED: Disposition = { action: 'leave' };

/**
 * The whole decision, in one place. A failed message stays by default, for the queue's own redrive policy. Throws
 * `InvalidOptionsError` for what is not handled.
 */
export function dispositionOf(handled: Handled<unknown>, onFailed: OnFailed = 'leave'): Disposition {
  requireHandled('dispositionOf', handled);
  return 'outcome' in handled ? ofOutcome(handled.outcome, onFailed) : ofError(handled.thrown, onFailed);
}

function ofOutcome(outcome: Outcome<unknown>, onFailed: OnFailed): Disposition {
  switch (outcome.state) {
    case 'succeeded':
      return { action: 'delete' };
    case 'failed':
      if (onFailed === 'delete') return { action: 'delete' };
      return onFailed === 'leave' ? UNTOUCHED : { action: 'dead-letter', ...onFailed };
    case 'pending':
      switch (outcome.reason) {
        case 'in-flight':
        case 'released':
        case 'suspect':
          return { action: 'leave', visibleAfterMs: outcome.retryAfterMs };
        // Somebody else may hold the message by now: an old receipt handle can still reach it.
        case 'lease-lost':
        case 'unrecorded':
          return UNTOUCHED;
      }
  }
}

function ofError(thrown: unknown, onFailed: OnFailed): Disposition {
  switch (thrownReason(thrown)) {
    case 'mismatch':
    case 'invalid-key':
      return typeof onFailed === 'object' ? { action: 'dead-letter', ...onFailed } : UNTOUCHED;
    case 'aborted':
      return { action: 'leave', visibleAfterMs: 0 };
    case 'store-error':
    case 'error':
      return UNTOUCHED;
  }
}

/** Why a message was left in the queue, in the word that events have for it. */
export function leftReason(handled: Handled<unknown>): PendingReason | 'failed' | ThrownReason {
  if ('outcome' in handled) return handled.outcome.state === 'pending' ? handled.outcome.reason : 'failed';
  return thrownReason(handled.thrown);
}
