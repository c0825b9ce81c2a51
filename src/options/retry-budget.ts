import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { retryWait } from '../lib/retry.ts';
import type { FullBackoffBounds } from './backoff.ts';
import { parseOptions } from './parse-options.ts';
import { DEFAULT_RETRIES, type Retries, retryFields, type RetryOptions } from './retries.ts';

/** The total of all retries, for a message that always fails. */
export interface RetryBudget {
  /** Milliseconds of waiting after which half of such messages have failed permanently. NaN with a backoff function. */
  readonly medianMs: number;
  /** The most that they wait, in milliseconds. NaN with a backoff function. */
  readonly longestMs: number;
  /**
   * What the `maxReceiveCount` of a queue's redrive policy should be at least: one for each attempt and each death, and
   * ten for deliveries that only wait, for another worker or for their turn.
   *
   * On Lambda add `longestMs` divided by the visibility timeout of the queue: a message comes once in each visibility
   * timeout, also while its backoff runs, and each wait lasts until the next delivery.
   */
  readonly maxReceiveCount: number;
}

const WAITING_DELIVERIES = 10;

/**
 * How long retries last, and how often a queue must deliver for them.
 *
 * Each wait is a random time up to its bound: the median of the total wait is half of the sum of all bounds. With a
 * `maxAttempts` of Infinity they never end. Throws `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * import { retryBudget } from 'handle-once';
 *
 * const { medianMs, maxReceiveCount } = retryBudget(handleOnce.settings);
 * ```
 */
export function retryBudget(retries: RetryOptions | Retries = {}): RetryBudget {
  const given = parseOptions('retryBudget', retriesSchema(), retries);
  const { maxAttempts = DEFAULT_RETRIES.maxAttempts, maxDeaths = DEFAULT_RETRIES.maxDeaths } = given;
  const backoff = 'backoff' in retries ? given.backoff : DEFAULT_RETRIES.backoff;
  const longestMs = typeof backoff === 'object' ? sumOfWaits(maxAttempts, backoff) : Number.NaN;
  return {
    longestMs,
    medianMs: longestMs / 2,
    maxReceiveCount: maxAttempts + maxDeaths + WAITING_DELIVERIES,
  };
}

/** Settings of a `handleOnce` have other fields too. */
const retriesSchema = lazily(() => z.looseObject(retryFields(), { error: 'the retries must be an object' }));

function sumOfWaits(maxAttempts: number, backoff: FullBackoffBounds): number {
  if (maxAttempts === Infinity) return Infinity;
  let sum = 0;
  for (let failures = 1; failures < maxAttempts; failures += 1) {
    const wait = retryWait(backoff, failures);
    // From there on all waits are alike.
    if (wait === retryWait(backoff, failures + 1)) return sum + wait * (maxAttempts - failures);
    sum += wait;
  }
  return sum;
}
