import { RetryableError } from '../words/handler-errors.ts';
import { shareAcrossCopies } from '../lib/shared-class.ts';

/**
 * Releases an attempt without a line in the table `failures`: a caller could fill the table, as with HTTP requests that
 * are answered 401.
 */
export class UnlistedError extends RetryableError {
  static {
    shareAcrossCopies(this, 'UnlistedError');
  }
}
