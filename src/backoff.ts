import { describeThrown } from './stored-error.ts';

/** Exponential backoff with full jitter: a random time up to `min(maxMs, baseMs * 2 ** (attempt - 1))`. */
export interface BackoffBounds {
  /** The most that the first retry waits, in milliseconds. Default 1,000. */
  readonly baseMs?: number | undefined;
  /** The most that any retry waits, in milliseconds. Default 300,000 (5 minutes). */
  readonly maxMs?: number | undefined;
}

/** Milliseconds to wait after `attempt` (from 1) ended with `error`. */
export type Backoff = (attempt: number, error: unknown) => number;

export const DEFAULT_BACKOFF = { baseMs: 1_000, maxMs: 300_000 };

/** The longest wait: SQS cannot keep a message invisible for longer. */
export const MAX_WAIT_MS = 43_200_000;

export function exponentialBackoff(bounds: { baseMs: number; maxMs: number }): Backoff {
  return (attempt) => Math.random() * Math.min(bounds.maxMs, bounds.baseMs * 2 ** (attempt - 1));
}

/** A wait as the store takes it: whole milliseconds within bounds. */
export function boundedWait(waitMs: number): number {
  return Math.ceil(Math.min(Math.max(waitMs, 0), MAX_WAIT_MS));
}

export function isWait(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(value);
}

/** A backoff of the user's own that cannot stop a release: where it fails, the default applies, with a warning. */
export function guardedBackoff(backoff: Backoff): Backoff {
  const fallback = exponentialBackoff(DEFAULT_BACKOFF);
  return (attempt, error) => {
    try {
      const waitMs: unknown = backoff(attempt, error);
      if (isWait(waitMs)) return waitMs;
      process.emitWarning('backoff must return milliseconds; the default applies', 'HandleOnceWarning');
    } catch (thrown) {
      process.emitWarning(
        `backoff threw, the default applies: ${describeThrown(thrown)}`,
        'HandleOnceWarning',
      );
    }
    return fallback(attempt, error);
  };
}
