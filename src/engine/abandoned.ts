import type { Outcome } from '../words/outcome.ts';

/** On the outcome of a transaction that was given up. Another copy of this package finds it there too. */
const ABANDONED = Symbol.for('handle-once.abandoned');

/** Thrown when the time of an attempt is over and its work is not: a connection can hang without end. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError';
}

/** Marks the outcome of a transaction that was given up. */
export function markAbandoned<R>(outcome: Outcome<R>): Outcome<R> {
  return Object.defineProperty(outcome, ABANDONED, { value: true });
}

/** Whether the outcome is of a transaction that was given up: its connection hung, or its handler did. */
export function wasAbandoned(outcome: object): boolean {
  return ABANDONED in outcome;
}
