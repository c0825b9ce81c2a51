import {
  AbortedError,
  InvalidKeyError,
  PayloadMismatchError,
  SchemaError,
  StoreError,
  UnhashablePayloadError,
} from '../words/errors.ts';
import { type Ending, ENDINGS, type RefusedReason } from '../words/endings.ts';
import type { Outcome } from '../words/outcome.ts';

/** What the engine said of a delivery: its outcome, or what it threw. */
export type Handled<R> = { readonly outcome: Outcome<R> } | { readonly thrown: unknown };

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
  const ending = outcome.state === 'pending' ? outcome.reason : outcome.state;
  // The engine can be of another version of this package.
  return Object.hasOwn(ENDINGS, ending) ? ending : 'error';
}

function thrownReason(thrown: unknown): RefusedReason {
  if (thrown instanceof PayloadMismatchError) return 'mismatch';
  // The option `fingerprint` can choose a part that has no fingerprint.
  if (thrown instanceof InvalidKeyError || thrown instanceof UnhashablePayloadError) return 'invalid-key';
  if (thrown instanceof StoreError || thrown instanceof SchemaError) return 'store-error';
  return thrown instanceof AbortedError ? 'aborted' : 'error';
}
