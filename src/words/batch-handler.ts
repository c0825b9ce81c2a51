import type { Attempt } from './attempt.ts';

/** One message in a run of a batch handler without a transaction. */
export type BatchAttempt<Of extends Attempt = Attempt> = Of & CanFail;

interface CanFail {
  /**
   * Marks the message as failed, with the error that a handler of one message would throw: it runs again, alone, and
   * the others are done.
   */
  fail(error: unknown): void;
}

/**
 * A function that runs once for many messages. Payloads and attempts are in the same order, and all attempts have the
 * same signal: it aborts too when one of them has lost its lease. It returns nothing, or a list with one result for
 * each message.
 *
 * In a transaction, a throw undoes all of it: then the messages run one by one. Without one, a throw fails every
 * message that is not marked by `attempt.fail`.
 *
 * @example
 * ```ts
 * import type { BatchHandler } from 'handle-once';
 *
 * export const indexOrders: BatchHandler<Order> = async (orders, attempts) => {
 *   const errors = await indexAll(orders);
 *   errors.forEach((error, n) => {
 *     if (error !== undefined) attempts[n]?.fail(error);
 *   });
 * };
 * ```
 */
export type BatchHandler<
  Payload,
  Extra extends readonly unknown[] = [],
  Result = unknown,
  Of extends Attempt = Attempt,
> = (
  payloads: readonly Payload[],
  attempts: readonly (Extra extends [] ? BatchAttempt<Of> : Of)[],
  ...extra: Extra
) => BatchResult<Result> | PromiseLike<BatchResult<Result>>;

// oxlint-disable-next-line typescript/no-invalid-void-type -- what an async function without a return returns
type BatchResult<Result> = readonly Result[] | undefined | void;
