import { StoreError } from '../../src/index.ts';
import type { Verdict } from '../../src/adapter-kit.ts';
import type { WebhookReason } from './reason.ts';

/** The answer to the sender. */
export interface WebhookAnswer {
  /**
   * 200 if the sender need not repeat the delivery, also after a permanent failure. See
   * docs/webhooks.md#what-the-sender-gets.
   */
  readonly status: 200 | 400 | 401 | 422 | 500 | 503;
  /** For the header `Retry-After`, if it is known when another try can succeed. */
  readonly retryAfterSeconds?: number;
}

const STATUS: Readonly<Record<WebhookReason, WebhookAnswer['status']>> = {
  unverified: 401,
  'missing-id': 400,
  'invalid-key': 400,
  mismatch: 422,
  'in-flight': 503,
  released: 503,
  deferred: 503,
  suspect: 503,
  'lease-lost': 503,
  unrecorded: 503,
  'store-error': 503,
  aborted: 503,
  failed: 500,
  'dead-letter-refused': 500,
  'verify-config': 500,
  error: 500,
};

/**
 * The answer to the sender of a delivery.
 *
 * Senders know two answers, 2xx and anything else: a delivery that got anything else, 4xx too, they repeat for hours or
 * days, and in the end they disable the endpoint, which stops the good deliveries too. So a delivery that has failed
 * permanently is answered 200: to repeat it would only replay the failure, which is in its record, its outcome and its
 * event. What was refused without a record is not answered 200, so that the sender's own log has it.
 */
export function answerTo(verdict: Verdict<WebhookReason>): WebhookAnswer {
  if (verdict.acknowledge) return { status: 200 };
  const { reason, retryAfterMs, error } = verdict;
  // An id that the database's encoding cannot keep.
  if (error instanceof StoreError && error.dataRefused) return { status: 400 };
  const status = STATUS[reason];
  if (retryAfterMs === undefined) return { status };
  return { status, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)) };
}
