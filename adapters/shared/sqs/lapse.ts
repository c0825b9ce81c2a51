/** The queue counts from when it sent a message, we from when it came: allow for the way between. */
export const TRAVEL_MARGIN_MS = 500;

/**
 * Whether a message cannot be visible yet whose visibility timeout ends then, by `performance.now()`. Once it may be,
 * it must not be touched: an old receipt handle can reach a message that another worker holds by now.
 */
export function isInvisible(until: number): boolean {
  return performance.now() < until - TRAVEL_MARGIN_MS;
}
