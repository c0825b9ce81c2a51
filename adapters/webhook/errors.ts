import { shareAcrossCopies } from '../../src/adapter-kit.ts';
import { HandleOnceError } from '../../src/index.ts';

/** The delivery's signature is not valid: `verify` returned false or threw. Nothing was claimed. */
export class UnverifiedError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'UnverifiedError');
  }

  override readonly name = 'UnverifiedError';
  readonly code = 'UNVERIFIED';
  readonly retriable = false;
}

/**
 * Thrown by `verify` to say: this delivery cannot be verified, and that is not its sender's fault: for example, a
 * secret is not set. It is answered 500, so that the sender repeats it. Nothing was claimed.
 *
 * @example
 * ```ts
 * if (process.env['WEBHOOK_SECRET'] === undefined) throw new VerifyConfigError('WEBHOOK_SECRET is not set');
 * ```
 */
export class VerifyConfigError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'VerifyConfigError');
  }

  override readonly name = 'VerifyConfigError';
  readonly code = 'VERIFY_CONFIG';
  readonly retriable = false;
}

/** The delivery has no id in the place where its source puts it; the message names the place. Nothing was claimed. */
export class MissingIdError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'MissingIdError');
  }

  override readonly name = 'MissingIdError';
  readonly code = 'MISSING_ID';
  readonly retriable = false;
}
