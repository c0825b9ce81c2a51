import { shareAcrossCopies } from '../lib/shared-class.ts';
import { readable, readableKeys } from '../lib/safe-read.ts';

/**
 * Thrown by a handler to say: never try this message again.
 *
 * The record becomes `failed` with reason `terminal`, and redeliveries replay this error.
 *
 * @example
 * ```ts
 * if (card.blocked) throw new TerminalError('card is blocked', { code: 'CARD_BLOCKED' });
 * ```
 */
export class TerminalError extends Error {
  static {
    shareAcrossCopies(this, 'TerminalError');
  }

  override readonly name: string = 'TerminalError';
  /** As given: kept in the record, and in each replay of the error. */
  readonly code?: string;

  constructor(message: string, options: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    if (options.code !== undefined) this.code = options.code;
  }
}

interface RetryableErrorOptions {
  readonly retryAfterMs?: number | undefined;
  readonly counted?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown by a handler, or by `parse`, to say: try again, and not before `retryAfterMs` milliseconds have passed.
 *
 * Any other error is retryable too, after the configured backoff. The attempt counts, and the last one still fails.
 *
 * With `counted: false` it says "not yet": the message is deferred, and no failure is counted. From `maxDeferredMs`
 * after its first claim on, it counts as a failure.
 *
 * @example
 * ```ts
 * if (response.status === 429) throw new RetryableError('rate limited', { retryAfterMs: 60_000 });
 * if (order === undefined) throw new RetryableError('no order yet', { retryAfterMs: 60_000, counted: false });
 * ```
 */
export class RetryableError extends Error {
  static {
    shareAcrossCopies(this, 'RetryableError');
  }

  override readonly name: string = 'RetryableError';
  /**
   * Kept within 0 and 43,200,000 (12 hours). Without it, or with a value that is not a number, such as NaN, the
   * configured backoff applies. Such a value, or an unknown option, gives the process warning `RETRYABLE_ERROR_OPTIONS`
   * once.
   */
  readonly retryAfterMs?: number;
  /** False: the attempt is not counted, and the backoff of later failures does not grow by it. Default true. */
  readonly counted: boolean;

  constructor(message: string, options: RetryableErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    warnOfUnusable(options);
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    this.counted = options.counted !== false;
  }
}

/**
 * The payload could not be parsed or did not fit the schema: terminal, with reason `invalid-payload`.
 *
 * Its message has the schema's issues, each with its path. A path names a member only if a schema of zod or valibot
 * names it; other members, such as the keys of a record, are `*`. An issue whose message quotes the value reads
 * `does not fit`.
 */
export class InvalidPayloadError extends TerminalError {
  static {
    shareAcrossCopies(this, 'InvalidPayloadError');
  }

  override readonly name = 'InvalidPayloadError';
}

const NAMES = ['retryAfterMs', 'counted', 'cause'];

const warned = new Set<string>();

/**
 * Warns once of each option that a `RetryableError` cannot use. It does not throw: thrown in `parse`, the error would
 * fail the message permanently.
 */
function warnOfUnusable(options: object): void {
  for (const name of readableKeys(options).filter((each) => !NAMES.includes(each))) {
    warnOnce(`RetryableError: ${name} is not an option; the wait is given as retryAfterMs, in milliseconds`);
  }
  const counted = readable(options, 'counted');
  if (counted !== undefined && typeof counted !== 'boolean') {
    warnOnce(`RetryableError: counted must be true or false, got ${typeof counted}, so the attempt counts`);
  }
  const waitMs = readable(options, 'retryAfterMs');
  if (waitMs === undefined || (typeof waitMs === 'number' && !Number.isNaN(waitMs))) return;
  const got = typeof waitMs === 'number' ? 'NaN' : typeof waitMs;
  warnOnce(
    `RetryableError: retryAfterMs must be a number of milliseconds, got ${got}, so the backoff applies`,
  );
}

function warnOnce(message: string): void {
  if (warned.has(message)) return;
  warned.add(message);
  process.emitWarning(message, { type: 'HandleOnceWarning', code: 'RETRYABLE_ERROR_OPTIONS' });
}
