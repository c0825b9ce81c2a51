import type { KeptReason } from '../../src/adapter-kit.ts';

/**
 * Why a delivery is not done with: its sender has to repeat it, or must not have sent it.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type WebhookReason = KeptReason | 'unverified' | 'verify-config' | 'missing-id';
