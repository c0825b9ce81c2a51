import { StoreError } from 'handle-once';
import type { WebhookAnswer } from 'handle-once/webhook';
import type { WebhookReason } from '../../adapters/webhook/reason.ts';
import { expect, test } from 'vitest';
import { answerTo } from '../../adapters/webhook/answer.ts';

const STATUS: Record<WebhookReason, WebhookAnswer['status']> = {
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
  'verify-config': 500,
  error: 500,
  failed: 500,
  'dead-letter-refused': 500,
};
const kept = { acknowledge: false, key: 'id' } as const;

test.each(Object.entries(STATUS) as [WebhookReason, WebhookAnswer['status']][])(
  '%s is answered %i',
  (reason, status) => {
    expect(answerTo({ ...kept, reason })).toEqual({ status });
  },
);

test('what is acknowledged is answered 200, and nothing else', () => {
  expect(answerTo({ acknowledge: true, key: 'id', deadLettered: false })).toEqual({ status: 200 });
  expect(Object.values(STATUS)).not.toContain(200);
});

test.each([
  [0, 1],
  [1, 1],
  [1_000, 1],
  [1_001, 2],
  [300_000, 300],
])('%i milliseconds are %i seconds for Retry-After', (retryAfterMs, retryAfterSeconds) => {
  expect(answerTo({ ...kept, reason: 'in-flight', retryAfterMs })).toEqual({
    status: 503,
    retryAfterSeconds,
  });
});

test('an id that the database cannot keep is answered 400: to repeat it is useless', () => {
  const error = new StoreError('not in the encoding', { retriable: false, dataRefused: true });
  expect(answerTo({ ...kept, reason: 'store-error', error })).toEqual({ status: 400 });
});
