import * as z from 'zod';
import type { DeadLetterFacts } from './dead-letter-attributes.ts';
import {
  AbortedError,
  InvalidKeyError,
  PayloadMismatchError,
  SchemaError,
  StoreError,
  UnhashablePayloadError,
} from '../errors.ts';
import type { Failed, Outcome, StoredError, Succeeded } from '../outcome.ts';
import { hasMethods, parseOptions, satisfying } from '../parse-options.ts';
import { toStoredError } from '../stored-error.ts';

/** What `handleOnce` said of a delivery: its outcome, or what it threw. */
export type Handled<R> = { readonly outcome: Outcome<R> } | { readonly thrown: unknown };

const STATES: readonly unknown[] = ['succeeded', 'failed', 'pending'] satisfies Outcome<unknown>['state'][];

const handledSchema = z.object({
  handled: satisfying<Handled<unknown>>((value) => {
    if (!hasMethods(value, [])) return false;
    if ('thrown' in value) return true;
    return 'outcome' in value && STATES.includes((value.outcome as Outcome<unknown>).state);
  }, '{ outcome } with what handleOnce returned, or { thrown } with what it threw'),
});

/** Throws `InvalidOptionsError` for anything else. */
export function requireHandled(subject: string, handled: Handled<unknown>): void {
  parseOptions(subject, handledSchema, { handled });
}

/** The state that a record had before this delivery came; undefined when it was not answered from one. */
export function replayedState(handled: Handled<unknown>): (Succeeded<unknown> | Failed)['state'] | undefined {
  if ('thrown' in handled || handled.outcome.state === 'pending') return undefined;
  return handled.outcome.replayed ? handled.outcome.state : undefined;
}

const MAX_ERROR_TEXT_LENGTH = 1_000;

/** What a dead letter tells of its failure. */
export function failureFacts(handled: Handled<unknown>): Pick<DeadLetterFacts, 'errorText' | 'attempts'> {
  if ('thrown' in handled) return { errorText: errorTextOf(toStoredError(handled.thrown, 0)), attempts: 0 };
  const { outcome } = handled;
  return {
    errorText: outcome.state === 'failed' ? errorTextOf(outcome.error) : '',
    attempts: outcome.attempts,
  };
}

function errorTextOf({ name, message }: StoredError): string {
  return (message === '' ? name : `${name}: ${message}`).slice(0, MAX_ERROR_TEXT_LENGTH).toWellFormed();
}

export type ThrownReason = 'mismatch' | 'invalid-key' | 'store-error' | 'aborted' | 'error';

/** What `handleOnce` threw, in the word that events have for it. */
export function thrownReason(thrown: unknown): ThrownReason {
  if (thrown instanceof PayloadMismatchError) return 'mismatch';
  // Of a body only the option `fingerprint` can make a payload that has none.
  if (thrown instanceof InvalidKeyError || thrown instanceof UnhashablePayloadError) return 'invalid-key';
  if (thrown instanceof StoreError || thrown instanceof SchemaError) return 'store-error';
  return thrown instanceof AbortedError ? 'aborted' : 'error';
}
