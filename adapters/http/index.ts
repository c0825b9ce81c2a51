/**
 * HTTP requests with an `Idempotency-Key`: each is handled once, and a retry gets the answer of the first.
 *
 * @example
 * ```ts
 * import { onceEachRequest } from 'handle-once/http';
 *
 * const createOrder = onceEachRequest({ handleOnce, route: '/orders', principal: userOf }, async (request) =>
 *   Response.json(await request.json(), { status: 201 }),
 * );
 * const response = await createOrder(request);
 * ```
 *
 * @module handle-once/http
 */
export { attemptOf } from './node/attempt-of.ts';
export { type OnceEachNodeRequest, onceEachNodeRequest } from './node/once-each-node-request.ts';
export type { HttpEvent } from './events.ts';
export {
  type OnceEachRequest,
  onceEachRequest,
  type RequestHandler,
  type RequestOptions,
  type TransactionalRequestHandler,
} from './once-each-request.ts';
export type { HttpAttempt, HttpOptions } from './options.ts';
export type { HttpPrincipal } from './record-key.ts';
