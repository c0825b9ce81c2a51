import {
  AbortedError,
  InvalidKeyError,
  PayloadMismatchError,
  SchemaError,
  StoreError,
  UnhashablePayloadError,
} from '../words/errors.ts';
import type { Outcome, PendingReason } from '../words/outcome.ts';

/** What the engine said of a delivery: its outcome, or what it threw. */
export type Handled<R> = { readonly outcome: Outcome<R> } | { readonly thrown: unknown };

type ThrownReason = 'mismatch' | 'invalid-key' | 'store-error' | 'aborted' | 'error';

/** How the handling of a delivery ended, in one word. */
export type Ending = 'succeeded' | 'failed' | PendingReason | ThrownReason;

/** Why the broker has to deliver a message again. */
export type KeptReason =
  | Exclude<Ending, 'succeeded'>
  /** The dead-letter queue or topic did not take it. */
  | 'dead-letter-refused';

/** The state that a record had before the delivery came. Undefined when it was not answered from one. */
export function replayedState(handled: Handled<unknown>): 'succeeded' | 'failed' | undefined {
  if ('thrown' in handled || handled.outcome.state === 'pending') return undefined;
  return handled.outcome.replayed ? handled.outcome.state : undefined;
}

export function endingOf(handled: Handled<unknown>): Ending {
  if ('thrown' in handled) return thrownReason(handled.thrown);
  const { outcome } = handled;
  return outcome.state === 'pending' ? outcome.reason : outcome.state;
}

function thrownReason(thrown: unknown): ThrownReason {
  if (thrown instanceof PayloadMismatchError) return 'mismatch';
  // The option `fingerprint` can choose a part that has no fingerprint.
  if (thrown instanceof InvalidKeyError || thrown instanceof UnhashablePayloadError) return 'invalid-key';
  if (thrown instanceof StoreError || thrown instanceof SchemaError) return 'store-error';
  return thrown instanceof AbortedError ? 'aborted' : 'error';
}
