import { shareAcrossCopies } from '../lib/shared-class.ts';
import { warnOfUnusable } from './wait-warning.ts';

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

/**
 * Thrown by a handler, or by `parse`, to say: try again, and not before `retryAfterMs` milliseconds have passed.
 *
 * Any other error is retryable too, after the configured backoff. The attempt counts, and the last one still fails.
 *
 * @example
 * ```ts
 * if (response.status === 429) throw new RetryableError('rate limited', { retryAfterMs: 60_000 });
 * ```
 */
export class RetryableError extends Error {
  static {
    shareAcrossCopies(this, 'RetryableError');
  }

  override readonly name: string = 'RetryableError';
  /**
   * Kept within 0 and 43,200,000 (12 hours). Without it, or with what is no number, such as NaN, the configured backoff
   * applies. What is no number, and an option of another name, is told once by the process warning
   * `RETRYABLE_ERROR_OPTIONS`.
   */
  readonly retryAfterMs?: number;

  constructor(message: string, options: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    warnOfUnusable(options);
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * The payload could not be parsed or did not fit the schema: terminal, with reason `invalid-payload`.
 *
 * Its message has the schema's issues, each with its place. In a place a member is named only where a schema of zod or
 * valibot names it; others, such as the keys of a record, are `*`. An issue whose message quotes the value reads
 * `does not fit`.
 */
export class InvalidPayloadError extends TerminalError {
  static {
    shareAcrossCopies(this, 'InvalidPayloadError');
  }

  override readonly name = 'InvalidPayloadError';
}
