import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import type { Clock } from '../lib/clock.ts';
import {
  type Backoff,
  type BackoffBounds,
  DEFAULT_BACKOFF,
  exponentialBackoff,
  type FullBackoffBounds,
  MAX_WAIT_MS,
} from './backoff.ts';
import { satisfying, wholeNumber } from './parse-options.ts';

/** How often a message is tried, and how long it waits in between. */
export interface RetryOptions {
  /**
   * How many attempts may fail before the message has failed permanently. At least 1; Infinity is allowed. Default 12.
   */
  readonly maxAttempts?: number | undefined;
  /**
   * How many attempts in a row may lose their worker before the message has failed permanently. At least 1; Infinity is
   * allowed. Default 5. With 1 a message that was started runs at most once, unless it is interrupted, for effects that
   * accept no idempotency key.
   */
  readonly maxDeaths?: number | undefined;
  /**
   * Milliseconds from the first claim of a message after which a deferral, a `RetryableError` with `counted: false`,
   * counts as a failure. Default `failedRetentionMs`.
   */
  readonly maxDeferredMs?: number | undefined;
  /** Wait after a retryable error: bounds of an exponential backoff with full jitter, or a function. */
  readonly backoff?: BackoffBounds | Backoff | undefined;
}

/** Retries as they apply. */
export interface Retries {
  /** Failures at which a message has failed permanently. May be Infinity. */
  readonly maxAttempts: number;
  /** Deaths in a row at which a message has failed permanently. May be Infinity. */
  readonly maxDeaths: number;
  /** Milliseconds from the first claim. Undefined: as long as a failed record is kept. */
  readonly maxDeferredMs?: number | undefined;
  /** Undefined for a function. */
  readonly backoff: FullBackoffBounds | undefined;
}

/**
 * Half of the messages that always fail are given up on after 49 minutes: longer than most outages of a provider, by
 * longer waits rather than by more attempts.
 */
export const DEFAULT_RETRIES: Retries = { maxAttempts: 12, maxDeaths: 5, backoff: DEFAULT_BACKOFF };

const MAX_COUNT = 2_147_483_647;

/** Ten years. */
export const MAX_RETENTION_MS = 315_360_000_000;

const count = (what: string) =>
  satisfying<number>(
    (value) =>
      value === Infinity || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_COUNT),
    `a whole number of ${what} from 1 to 2,147,483,647, or Infinity`,
  );

const milliseconds = lazily(() => wholeNumber('milliseconds', 0, MAX_WAIT_MS));

const factor = lazily(() =>
  satisfying<number>(
    (value) => typeof value === 'number' && value >= 1 && value <= 10,
    'a number from 1 to 10',
  ),
);

const backoffBounds = lazily(() =>
  z
    .strictObject(
      {
        baseMs: z._default(milliseconds(), DEFAULT_BACKOFF.baseMs),
        maxMs: z._default(milliseconds(), DEFAULT_BACKOFF.maxMs),
        factor: z._default(factor(), DEFAULT_BACKOFF.factor),
      },
      {
        error:
          'must be { baseMs, maxMs, factor } or a function of (failures, error) that returns milliseconds',
      },
    )
    .check(
      z.refine(({ baseMs, maxMs }) => baseMs <= maxMs, {
        path: ['baseMs'],
        error: 'must not be above maxMs, which is 1,200,000 unless given',
      }),
    ),
);

/** Not a union, which would not say which of the bounds is wrong. */
const backoffOption = lazily(() =>
  z.pipe(
    z.unknown(),
    z.transform((backoff, context): Backoff | FullBackoffBounds | undefined => {
      if (backoff === undefined || typeof backoff === 'function') return backoff as Backoff | undefined;
      const bounds = backoffBounds().safeParse(backoff);
      if (bounds.success) return bounds.data;
      context.issues.push(
        ...bounds.error.issues.map((issue) => ({ ...issue, input: backoff }) as z.core.$ZodRawIssue),
      );
      return z.NEVER;
    }),
  ),
);

/** The options of `RetryOptions`. */
export const retryFields = lazily(() => ({
  maxAttempts: z.optional(count('attempts')),
  maxDeaths: z.optional(count('deaths')),
  maxDeferredMs: z.optional(wholeNumber('milliseconds', 0, MAX_RETENTION_MS)),
  backoff: z.optional(backoffOption()),
}));

export type GivenRetries = z.output<z.ZodMiniObject<ReturnType<typeof retryFields>>>;

/** The retries before, with the given options applied, and their backoff as a function. */
export function resolveRetries(
  given: GivenRetries,
  before: Retries,
  backoffBefore: Backoff,
  clock: Clock,
): { readonly retries: Retries; readonly backoff: Backoff } {
  const { backoff } = given;
  const limits = {
    maxAttempts: given.maxAttempts ?? before.maxAttempts,
    maxDeaths: given.maxDeaths ?? before.maxDeaths,
    maxDeferredMs: given.maxDeferredMs ?? before.maxDeferredMs,
  };
  if (typeof backoff === 'function') return { retries: { ...limits, backoff: undefined }, backoff };
  if (backoff !== undefined) {
    return { retries: { ...limits, backoff }, backoff: exponentialBackoff(backoff, clock) };
  }
  return { retries: { ...limits, backoff: before.backoff }, backoff: backoffBefore };
}
