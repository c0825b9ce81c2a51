import { causeOf, nameOfThrown } from '../../src/adapter-kit.ts';
import { copyOf, type ReceivedWebhook } from './delivery.ts';
import { UnverifiedError, VerifyConfigError } from './errors.ts';
import type { Verify } from './options.ts';

/** Throws `UnverifiedError`, and the `VerifyConfigError` that `verify` threw. */
export async function checkSignature(
  verify: Verify | 'already-verified',
  delivery: ReceivedWebhook,
): Promise<void> {
  if (verify === 'already-verified') return;
  let verified: unknown;
  try {
    verified = await verify(copyOf(delivery));
  } catch (error) {
    if (error instanceof VerifyConfigError) throw error;
    throw new UnverifiedError(
      `the delivery is not verified: verify threw (${nameOfThrown(error)}). If that is a fault of verify and no ` +
        'bad signature, correct verify, or have it throw a VerifyConfigError',
      causeOf(error),
    );
  }
  if (verified !== true) {
    throw new UnverifiedError('the delivery is not verified: verify did not return true');
  }
}
