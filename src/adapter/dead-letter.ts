import type { Handled } from '../words/endings.ts';
import type { StoredError } from '../words/outcome.ts';
import { toStoredError } from '../payload/stored-error.ts';

/** Why a message is a dead letter. */
export interface DeadLetterFacts {
  /** Of the record. */
  readonly scope: string;
  /** Empty where the message has none. */
  readonly key: string;
  /** Name and message of the error, at most 1,000 characters; empty when there is none. */
  readonly errorText: string;
  /** How often it was tried. 0 if it was refused: nothing ran. */
  readonly attempts: number;
}

/** Where the copy of a message goes that failed permanently. */
export interface DeadLetterDestination {
  /** The URL of the queue, or the name of the topic: for events. */
  readonly to: string;
  /** Resolves when the copy is safe: only then is the message acknowledged. */
  readonly send: (facts: DeadLetterFacts) => Promise<DeadLetterSent>;
  /** Called before `send`. After false nothing is sent, and the message is kept. */
  readonly mayBeSent?: ((reason: DeadLetterReason) => boolean) | undefined;
}

/** `failed`: it failed permanently. The others were refused: their handler did not run. */
export type DeadLetterReason = 'failed' | 'mismatch' | 'invalid-key';

interface DeadLetterSent {
  /** Our attributes that did not fit into the copy, where a broker bounds them. */
  readonly droppedAttributes?: readonly string[];
}

export function deadLetterFacts(scope: string, key: string, handled: Handled<unknown>): DeadLetterFacts {
  if (handled.state === 'refused') {
    return { scope, key, errorText: errorTextOf(toStoredError(handled.error, 0)), attempts: 0 };
  }
  const errorText = handled.state === 'failed' ? errorTextOf(handled.error) : '';
  return { scope, key, errorText, attempts: handled.attempts };
}

const MAX_ERROR_TEXT_LENGTH = 1_000;

function errorTextOf({ name, message }: StoredError): string {
  return (message === '' ? name : `${name}: ${message}`).slice(0, MAX_ERROR_TEXT_LENGTH).toWellFormed();
}
