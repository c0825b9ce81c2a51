import type { KeptReason } from '../../src/adapter-kit.ts';
import { MissingIdError, UnverifiedError, VerifyConfigError } from './errors.ts';

/**
 * Why a delivery is not done: its sender must repeat it, or should not have sent it.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type WebhookReason = KeptReason | 'unverified' | 'verify-config' | 'missing-id';

/** Why a delivery is refused before it is handled. */
export function refusalReason(error: unknown): WebhookReason {
  if (error instanceof UnverifiedError) return 'unverified';
  if (error instanceof VerifyConfigError) return 'verify-config';
  return error instanceof MissingIdError ? 'missing-id' : 'error';
}
