import type { Clock } from '../lib/clock.ts';
import { isPromise } from '../lib/is-promise.ts';
import { retryWait } from '../lib/retry.ts';
import { describeThrown } from '../payload/stored-error.ts';

/** Exponential backoff with full jitter: a random time up to `min(maxMs, baseMs * factor ** (failures - 1))`. */
export interface BackoffBounds {
  /** The most that the first retry waits, in milliseconds. Default 1,000. */
  readonly baseMs?: number | undefined;
  /** The most that any retry waits, in milliseconds. Default 1,200,000 (20 minutes). */
  readonly maxMs?: number | undefined;
  /** How many times as long each retry waits at the most. From 1, all alike, to 10. Default 3. */
  readonly factor?: number | undefined;
}

/**
 * Milliseconds to wait after the message has failed this often (from 1), the last time with `error`. A value below 0
 * counts as 0, and one above 43,200,000 (12 hours) as 43,200,000. If it throws or does not return a number, the default
 * applies, with a warning.
 */
export type Backoff = (failures: number, error: unknown) => number;

/** Bounds with their defaults filled in. */
export type FullBackoffBounds = { readonly [Bound in keyof BackoffBounds]-?: number };

export const DEFAULT_BACKOFF: FullBackoffBounds = { baseMs: 1_000, maxMs: 1_200_000, factor: 3 };

/** The longest wait: SQS cannot keep a message invisible for longer. */
export const MAX_WAIT_MS = 43_200_000;

export function exponentialBackoff(bounds: FullBackoffBounds, clock: Clock): Backoff {
  return (failures) => clock.random() * retryWait(bounds, failures);
}

/** A wait as the store takes it: whole milliseconds within bounds. */
export function boundedWait(waitMs: number): number {
  return Math.ceil(Math.min(Math.max(waitMs, 0), MAX_WAIT_MS));
}

export function isWait(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(value);
}

/** A backoff that never throws: where the user's function fails, the default applies, and the fault is reported. */
export function guardedBackoff(
  backoff: Backoff,
  complain: (code: string, message: string) => void,
  clock: Clock,
): Backoff {
  const fallback = exponentialBackoff(DEFAULT_BACKOFF, clock);
  return (failures, error) => {
    try {
      const waitMs: unknown = backoff(failures, error);
      if (isWait(waitMs)) return waitMs;
      const what = isPromise(waitMs) ? 'at once, and not a promise' : 'as a number';
      complain('BACKOFF_FAILED', `backoff must return milliseconds, ${what}; the default applies`);
    } catch (thrown) {
      complain('BACKOFF_FAILED', `backoff threw, the default applies: ${describeThrown(thrown)}`);
    }
    return fallback(failures, error);
  };
}
