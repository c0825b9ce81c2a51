import { type Handled, requireHandled } from '../../src/adapter-kit.ts';
import {
  AbortedError,
  InvalidKeyError,
  type Outcome,
  PayloadMismatchError,
  SchemaError,
  StoreError,
  UnhashablePayloadError,
} from '../../src/index.ts';
import { MissingIdError, UnverifiedError } from './errors.ts';

/** What to tell the sender. */
export interface WebhookAnswer {
  readonly status: 200 | 400 | 401 | 422 | 500 | 503;
  /** For the header `Retry-After`, where it is known when another try can hope for more. */
  readonly retryAfterSeconds?: number;
}

/**
 * The whole decision, in one place.
 *
 * Senders know two answers, 2xx and anything else: a delivery that got anything else, 4xx too, they repeat for hours or
 * days, and in the end they disable the endpoint, which stops the good deliveries too. So a delivery that has failed for
 * good is answered 200: to repeat it would only replay the failure, which is in its record, its outcome and its event.
 * What was refused without a record is not answered 200, so that the sender's own log has it.
 *
 * Throws `InvalidOptionsError` for what is not handled.
 */
export function answerOf(handled: Handled<unknown>): WebhookAnswer {
  requireHandled('answerOf', handled);
  return 'outcome' in handled ? ofOutcome(handled.outcome) : { status: statusOfError(handled.thrown) };
}

function ofOutcome(outcome: Outcome<unknown>): WebhookAnswer {
  switch (outcome.state) {
    case 'succeeded':
    case 'failed':
      return { status: 200 };
    case 'pending':
      return { status: 503, retryAfterSeconds: Math.max(1, Math.ceil(outcome.retryAfterMs / 1_000)) };
  }
}

function statusOfError(thrown: unknown): WebhookAnswer['status'] {
  if (thrown instanceof UnverifiedError) return 401;
  if (thrown instanceof MissingIdError || thrown instanceof InvalidKeyError) return 400;
  if (thrown instanceof UnhashablePayloadError) return 400;
  if (thrown instanceof PayloadMismatchError) return 422;
  // An id that the database's encoding cannot keep.
  if (thrown instanceof StoreError && thrown.dataRefused) return 400;
  const later =
    thrown instanceof StoreError || thrown instanceof SchemaError || thrown instanceof AbortedError;
  return later ? 503 : 500;
}
