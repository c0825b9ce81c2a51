import { shareAcrossCopies } from '../lib/shared-class.ts';

/**
 * Thrown where a handler does not get its turn, or ends for the sake of another message: the claim is released at once,
 * uncounted.
 */
export class NotStartedError extends Error {
  static {
    shareAcrossCopies(this, 'NotStartedError');
  }

  override readonly name = 'NotStartedError';
}
