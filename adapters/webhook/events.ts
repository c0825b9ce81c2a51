import { type Handled, thrownReason } from '../../src/adapter-kit.ts';
import type { EventError, PendingReason } from '../../src/index.ts';
import type { WebhookAnswer } from './answer.ts';
import { MissingIdError, UnverifiedError, VerifyConfigError } from './errors.ts';

/** What became of a delivery, in one word. */
export type WebhookEventType =
  | 'succeeded'
  | 'failed'
  | 'replayed'
  | PendingReason
  | 'unverified'
  | 'verify-config'
  | 'missing-id'
  | 'invalid-id'
  | 'mismatch'
  | 'store-error'
  | 'aborted'
  | 'error';

/** The end of a delivery: each has exactly one. Bodies are never part of it. */
export interface WebhookEvent extends WebhookAnswer {
  readonly type: WebhookEventType;
  readonly scope: string;
  /** The delivery's id; undefined when it was refused before that was looked for, or has none. */
  readonly id: string | undefined;
  /** What kept it from having an outcome. */
  readonly error?: EventError;
}

export function eventTypeOf(handled: Handled<unknown>): WebhookEventType {
  if ('thrown' in handled) return ofError(handled.thrown);
  const { outcome } = handled;
  if (outcome.state === 'pending') return outcome.reason;
  return outcome.replayed ? 'replayed' : outcome.state;
}

function ofError(thrown: unknown): WebhookEventType {
  if (thrown instanceof UnverifiedError) return 'unverified';
  if (thrown instanceof VerifyConfigError) return 'verify-config';
  if (thrown instanceof MissingIdError) return 'missing-id';
  const reason = thrownReason(thrown);
  return reason === 'invalid-key' ? 'invalid-id' : reason;
}
