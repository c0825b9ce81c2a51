import { RetryableError } from '../words/handler-errors.ts';
import { shareAcrossCopies } from '../lib/shared-class.ts';

/**
 * Releases an attempt of which the table `failures` gets no line: its caller can cause it at will, as with an HTTP
 * request that is answered 401, and would fill the table.
 */
export class UnlistedError extends RetryableError {
  static {
    shareAcrossCopies(this, 'UnlistedError');
  }
}
