import type { Attempt } from '../words/attempt.ts';

const sizes = new WeakMap<Attempt, number>();

/** Notes how many messages the handler is called for. */
export function setBatchSize(attempt: Attempt, messages: number): void {
  sizes.set(attempt, messages);
}

/** Undefined for an attempt that has run in no batch. */
export function batchSizeOf(attempt: Attempt): number | undefined {
  return sizes.get(attempt);
}
