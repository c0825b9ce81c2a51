import { isA, shareAcrossCopies } from '../../src/adapter-kit.ts';
import { HandleOnceError } from '../../src/index.ts';

/** The delivery's signature does not hold: `verify` returned false or threw. Nothing was claimed. */
export class UnverifiedError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'UnverifiedError');
  }

  override readonly name = 'UnverifiedError';
  readonly code = 'UNVERIFIED';
  readonly retriable = false;
}

/** The delivery has no id where its source has it; the message says where that is. Nothing was claimed. */
export class MissingIdError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'MissingIdError');
  }

  override readonly name = 'MissingIdError';
  readonly code = 'MISSING_ID';
  readonly retriable = false;
}

/** What a function of the user's threw, as a cause; not what JSON.parse throws, which quotes the body. */
export function causeOf(thrown: unknown): ErrorOptions {
  return isA(thrown, SyntaxError) ? {} : { cause: thrown };
}
