import type { Clock } from '../../../src/adapter-kit.ts';

/** The queue counts from when it sent a message, we from when it came: allow for the way between. */
export const TRAVEL_MARGIN_MS = 500;

/**
 * Whether a message cannot be visible yet whose visibility timeout ends then, by the monotonic clock. Once it may be,
 * it must not be touched: an old receipt handle can reach a message that another worker holds by now.
 */
export function isInvisible(clock: Clock, until: number): boolean {
  return clock.monotonic() < until - TRAVEL_MARGIN_MS;
}
