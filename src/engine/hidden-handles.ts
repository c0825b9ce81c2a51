import type { Clock } from '../lib/clock.ts';
import type { Handle } from './handle.ts';

/** Where a `handleOnce` keeps its engine for adapters; another copy of this package finds it there too. */
export const HANDLES = Symbol.for('handle-once.handles');

export interface Handles {
  readonly handle: Handle<[]>;
  /** With the transaction as last argument of the work; undefined without a client. */
  readonly inTransaction: Handle<[unknown]> | undefined;
  /** Of the process of the engine: its adapters have the same. */
  readonly clock: Clock;
}

/** `handleOnce` is one that `createHandleOnce` has made. */
export function handlesOf(handleOnce: object): Handles {
  return (handleOnce as { readonly [HANDLES]: Handles })[HANDLES];
}

/** The clock of the process of its engine. */
export function clockOf(handleOnce: object): Clock {
  return handlesOf(handleOnce).clock;
}
