import { shareAcrossCopies } from '../lib/shared-class.ts';

/** Thrown where a handler does not get its turn: the claim is released at once, uncounted. */
export class NotStartedError extends Error {
  static {
    shareAcrossCopies(this, 'NotStartedError');
  }

  override readonly name = 'NotStartedError';
}
