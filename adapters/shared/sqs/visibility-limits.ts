import { type Clock, elapsedSince, now } from '../../../src/adapter-kit.ts';

/** 12 hours: the longest that a queue keeps a message invisible, counted from its receive. */
export const MAX_VISIBILITY_SECONDS = 43_200;

/** The queue counts from when it sent a message, we from when it came: allow for the time between. */
export const TRAVEL_MARGIN_MS = 500;

/**
 * Starts a poll. Returns what gives, after its reply, when its messages were received, by the monotonic clock: then, or
 * when the queue had to answer. What reads the reply may have been held up.
 */
export function startPoll(clock: Clock, waitTimeSeconds: number): () => number {
  const sentAt = now(clock);
  return () => {
    const lateMs = elapsedSince(clock, sentAt) - waitTimeSeconds * 1_000 - TRAVEL_MARGIN_MS;
    return clock.monotonic() - Math.max(0, lateMs);
  };
}

/**
 * A visibility timeout that the queue will accept, in seconds: none reaches past 12 hours after the receive, which was
 * at `receivedAt` by the monotonic clock. The message has had one way, and the call has another.
 */
export function boundedVisibility(clock: Clock, receivedAt: number, milliseconds: number): number {
  const left = receivedAt + MAX_VISIBILITY_SECONDS * 1_000 - 2 * TRAVEL_MARGIN_MS - clock.monotonic();
  return Math.max(0, Math.min(Math.ceil(milliseconds / 1_000), Math.floor(left / 1_000)));
}
