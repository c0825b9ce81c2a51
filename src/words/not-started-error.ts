import { shareAcrossCopies } from '../lib/shared-class.ts';

/** Thrown in place of a handler that did not get its turn: the claim is released at once, uncounted. */
export class NotStartedError extends Error {
  static {
    shareAcrossCopies(this, 'NotStartedError');
  }

  override readonly name = 'NotStartedError';
}
