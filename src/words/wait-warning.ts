import { readable, readableKeys } from '../lib/safe-read.ts';

const NAMES = ['retryAfterMs', 'cause'];

const told = new Set<string>();

/**
 * Warns of options that a `RetryableError` cannot use, of each once in a process. To throw in their place would change
 * what becomes of the message: from `parse` it would fail for good.
 */
export function warnOfUnusable(options: object): void {
  for (const name of readableKeys(options).filter((each) => !NAMES.includes(each))) {
    warnOnce(`RetryableError: ${name} is not an option; the wait is given as retryAfterMs, in milliseconds`);
  }
  const waitMs = readable(options, 'retryAfterMs');
  if (waitMs === undefined || (typeof waitMs === 'number' && !Number.isNaN(waitMs))) return;
  const got = typeof waitMs === 'number' ? 'NaN' : typeof waitMs;
  warnOnce(`RetryableError: retryAfterMs must be a number of milliseconds, got ${got}; the backoff applies`);
}

function warnOnce(message: string): void {
  if (told.has(message)) return;
  told.add(message);
  process.emitWarning(message, { type: 'HandleOnceWarning', code: 'RETRYABLE_ERROR_OPTIONS' });
}
