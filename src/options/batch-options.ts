import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import type { OptionIssue } from '../words/errors.ts';
import { wholeNumber } from './parse-options.ts';
import type { Retries } from './retries.ts';

/** How many messages a handler gets at once. */
export interface BatchOptions {
  /** At most this many messages, from 2 to 500. A batch has fewer if no more messages are available. */
  readonly size: number;
}

/** The same where messages come one by one, or a few at a time. */
export interface GatheredBatchOptions extends BatchOptions {
  /** Milliseconds for which the first message waits for others, before any of them is claimed. Default 10. */
  readonly waitMs?: number | undefined;
}

/** Members of one batch. */
export const MAX_BATCH_SIZE = 500;

/** Of all batches that a consumer runs at once. */
const MAX_MESSAGES = 5_000;

const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 10;

const size = lazily(() => wholeNumber('messages', 2, MAX_BATCH_SIZE));

export const batchOption = lazily(() =>
  z.optional(z.strictObject({ size: size() }, { error: 'must be an object { size }' })),
);

export const gatheredBatchOption = lazily(() =>
  z.optional(
    z.strictObject(
      { size: size(), waitMs: z._default(wholeNumber('milliseconds', 0, MAX_WAIT_MS), DEFAULT_WAIT_MS) },
      { error: 'must be an object { size, waitMs }' },
    ),
  ),
);

/** A message that kills its worker is known by its third death: before it, each of its batch may have died with it. */
const FEWEST_DEATHS = 3;

/** What is wrong with retries for a batch handler. */
export function batchFaults(
  { maxAttempts, maxDeaths }: Retries,
  inTransaction: boolean,
): readonly OptionIssue[] {
  const faults: OptionIssue[] = [];
  if (maxDeaths < FEWEST_DEATHS) {
    const message =
      `must be at least ${FEWEST_DEATHS} for a batch handler (got ${maxDeaths}): ` +
      'a message that kills its worker costs each message of its batch a death';
    faults.push({ field: 'maxDeaths', message });
  }
  if (maxAttempts < 2 && !inTransaction) {
    const message =
      'must be at least 2 for a batch handler without a transaction (got 1): what it throws fails all of its messages, ' +
      'and each must run again alone';
    faults.push({ field: 'maxAttempts', message });
  }
  return faults;
}

/** What is wrong where so many batches run at once. */
export function sizeFaults({ size }: BatchOptions, concurrency: number): readonly OptionIssue[] {
  if (concurrency * size <= MAX_MESSAGES) return [];
  const message =
    `must be at most ${Math.floor(MAX_MESSAGES / size)} with batch.size ${size} (got ${concurrency}): ` +
    `concurrency times batch.size is at most ${MAX_MESSAGES.toLocaleString('en-US')}`;
  return [{ field: 'concurrency', message }];
}
