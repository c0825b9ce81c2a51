import { type DeadLetterFacts, type Handled, thrownReason } from '../../src/adapter-kit.ts';
import type { Outcome, PendingReason } from '../../src/index.ts';

export type SendDeadLetter = (facts: DeadLetterFacts) => Promise<unknown>;

/** What to do with a record that has failed for good: nothing more, report it, or send it to a dead-letter queue. */
export type OnFailed = 'settle' | 'report' | SendDeadLetter;

/** Why a record is reported as failed, so that Lambda delivers it again. */
export type ReportReason =
  | PendingReason
  | 'failed'
  | 'mismatch'
  | 'invalid-key'
  | 'store-error'
  | 'error'
  /** The dead-letter queue did not take it. */
  | 'dead-letter-refused'
  /** There was no time left to start it. Nothing is counted. */
  | 'out-of-time'
  /** An earlier one of its message group or partition is not settled. Nothing is counted. */
  | 'behind'
  /** Its handler went on after its signal had aborted, when the function had to answer. */
  | 'unfinished';

/** What the function's answer says of a record. */
export type Disposition =
  | { readonly action: 'settle' }
  /** Send a copy to the dead-letter queue, and settle once that has succeeded. */
  | { readonly action: 'dead-letter'; readonly send: SendDeadLetter }
  | { readonly action: 'report'; readonly reason: ReportReason };

const SETTLE: Disposition = { action: 'settle' };

/** The whole decision, in one place. */
export function dispositionOf(handled: Handled<unknown>, onFailed: OnFailed): Disposition {
  return 'outcome' in handled ? ofOutcome(handled.outcome, onFailed) : ofError(handled.thrown, onFailed);
}

function ofOutcome(outcome: Outcome<unknown>, onFailed: OnFailed): Disposition {
  switch (outcome.state) {
    case 'succeeded':
      return SETTLE;
    case 'failed':
      if (onFailed === 'settle') return SETTLE;
      return onFailed === 'report' ? report('failed') : { action: 'dead-letter', send: onFailed };
    case 'pending':
      return report(outcome.reason);
  }
}

function ofError(thrown: unknown, onFailed: OnFailed): Disposition {
  const reason = thrownReason(thrown);
  switch (reason) {
    // Never passed in silence: the record may be one that nobody has handled.
    case 'mismatch':
    case 'invalid-key':
      return typeof onFailed === 'function' ? { action: 'dead-letter', send: onFailed } : report(reason);
    case 'aborted':
      return report('out-of-time');
    case 'store-error':
    case 'error':
      return report(reason);
  }
}

function report(reason: ReportReason): Disposition {
  return { action: 'report', reason };
}
