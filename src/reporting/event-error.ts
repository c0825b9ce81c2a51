import { SchemaError, StoreError } from '../words/errors.ts';
import type { StoredError } from '../words/outcome.ts';
import { isA } from '../lib/safe-read.ts';
import { toStoredError } from '../payload/stored-error.ts';

/**
 * An error in an event: name, message, code and causes are plain properties, so that `JSON.stringify` keeps them.
 * `original` is what was thrown, with its stack, and is never serialised.
 */
export class EventError implements StoredError {
  readonly name: string;
  readonly message: string;
  declare readonly code?: string | number;
  declare readonly cause?: StoredError;
  readonly #original: unknown;

  constructor(stored: StoredError, original?: unknown) {
    this.name = stored.name;
    this.message = stored.message;
    if (stored.code !== undefined) this.code = stored.code;
    if (stored.cause !== undefined) this.cause = stored.cause;
    this.#original = original;
  }

  toString(): string {
    return `${this.name}: ${this.message}`;
  }

  /** What was thrown, for an error tracker. Undefined for an error that comes from a record. */
  get original(): unknown {
    return this.#original;
  }
}

export function toEventError(thrown: unknown): EventError {
  if (isA(thrown, EventError)) return thrown;
  // Their cause is the driver's error. Its message can quote the values sent.
  const ofDriver = thrown instanceof StoreError || thrown instanceof SchemaError;
  return new EventError(ofDriver ? toStoredError(thrown, 0) : toStoredError(thrown), thrown);
}
