import type { Clock } from '../../../src/adapter-kit.ts';

/** 12 hours: the longest that a queue keeps a message invisible, counted from its receive. */
export const MAX_VISIBILITY_SECONDS = 43_200;

/** The queue counts from when it sent a message, we from when it came: allow for the time between. */
export const TRAVEL_MARGIN_MS = 500;

/**
 * Whether a message is certainly invisible, by the time at which its visibility timeout ends. Else it must not be
 * touched: an old receipt handle can reach a message that another worker holds by now.
 */
export function isInvisible(clock: Clock, until: number): boolean {
  return clock.monotonic() < until - TRAVEL_MARGIN_MS;
}

/**
 * A visibility timeout that the queue will accept, in seconds: none reaches past 12 hours after the receive, which was
 * at `receivedAt` by the monotonic clock. The message has had one way, and the call has another.
 */
export function boundedVisibility(clock: Clock, receivedAt: number, milliseconds: number): number {
  const left = receivedAt + MAX_VISIBILITY_SECONDS * 1_000 - 2 * TRAVEL_MARGIN_MS - clock.monotonic();
  return Math.max(0, Math.min(Math.ceil(milliseconds / 1_000), Math.floor(left / 1_000)));
}
