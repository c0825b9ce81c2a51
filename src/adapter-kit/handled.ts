import type { DeadLetterFacts } from './dead-letter-attributes.ts';
import { AbortedError, InvalidKeyError, PayloadMismatchError, SchemaError, StoreError } from '../errors.ts';
import { isA } from '../safe-read.ts';
import { toStoredError } from '../stored-error.ts';
import type { Failed, Outcome, Succeeded } from '../outcome.ts';

/** What `handleOnce` said of a delivery: its outcome, or what it threw. */
export type Handled<R> = { readonly outcome: Outcome<R> } | { readonly thrown: unknown };

/** The state that a record had before this delivery came; undefined when it was not answered from one. */
export function replayedState(handled: Handled<unknown>): (Succeeded<unknown> | Failed)['state'] | undefined {
  if ('thrown' in handled || handled.outcome.state === 'pending') return undefined;
  return handled.outcome.replayed ? handled.outcome.state : undefined;
}

/** What a dead letter tells of its failure. */
export function failureFacts(handled: Handled<unknown>): Pick<DeadLetterFacts, 'errorName' | 'attempts'> {
  if ('outcome' in handled) {
    const { outcome } = handled;
    return { errorName: outcome.state === 'failed' ? outcome.error.name : '', attempts: outcome.attempts };
  }
  const { thrown } = handled;
  return { errorName: isA(thrown, Error) ? toStoredError(thrown, 0).name : '', attempts: 0 };
}

export type ThrownReason = 'mismatch' | 'invalid-key' | 'store-error' | 'aborted' | 'error';

/** What `handleOnce` threw, in the word that events have for it. */
export function thrownReason(thrown: unknown): ThrownReason {
  if (thrown instanceof PayloadMismatchError) return 'mismatch';
  if (thrown instanceof InvalidKeyError) return 'invalid-key';
  if (thrown instanceof StoreError || thrown instanceof SchemaError) return 'store-error';
  return thrown instanceof AbortedError ? 'aborted' : 'error';
}
