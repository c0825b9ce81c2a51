/**
 * How long records answer redeliveries, by use: spread one into the options of `createHandleOnce`.
 *
 * - `payment`, 24 hours: as long as payment providers keep their own idempotency keys.
 * - `signUp`, 1 hour: a form sent twice, or a client that tries again.
 * - `webhook`, 7 days: a receiver that fails on Friday is repaired on Monday. Senders repeat automatically for up to
 *   three days. After that a person sends the delivery again, with its old id.
 * - `job`, 30 days: twice the 14 days that SQS keeps a message, for jobs that are redriven after that.
 *
 * @example
 * ```ts
 * const handleOnce = createHandleOnce({ sql, scope: 'webhooks', ...retention.webhook });
 * ```
 */
export const retention = Object.freeze({
  payment: Object.freeze({ succeededRetentionMs: 86_400_000, failedRetentionMs: 86_400_000 } as const),
  signUp: Object.freeze({ succeededRetentionMs: 3_600_000, failedRetentionMs: 3_600_000 } as const),
  webhook: Object.freeze({ succeededRetentionMs: 604_800_000, failedRetentionMs: 604_800_000 } as const),
  job: Object.freeze({ succeededRetentionMs: 2_592_000_000, failedRetentionMs: 2_592_000_000 } as const),
});
