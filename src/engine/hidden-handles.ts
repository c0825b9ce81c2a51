import type { Handle } from './handle.ts';

/** Where a `handleOnce` keeps its engine for adapters; another copy of this package finds it there too. */
export const HANDLES = Symbol.for('handle-once.handles');

export interface Handles {
  readonly handle: Handle<[]>;
  /** With the transaction as last argument of the work; undefined without a client. */
  readonly inTransaction: Handle<[unknown]> | undefined;
}
