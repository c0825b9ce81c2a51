import type { AttemptFor } from './steps.ts';

/**
 * A function that runs once. It gets the payload, parsed and validated where the options say so, and in a transaction
 * also the transaction.
 *
 * @example
 * ```ts
 * import type { Handler } from 'handle-once';
 *
 * export const chargeOrder: Handler<Order> = async (order, attempt) => {
 *   await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 * };
 * ```
 */
export type Handler<Payload, Extra extends readonly unknown[] = [], Result = unknown> = (
  payload: Payload,
  attempt: AttemptFor<Extra>,
  ...extra: Extra
) => Result | PromiseLike<Result>;
