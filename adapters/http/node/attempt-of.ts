import type { IncomingMessage } from 'node:http';
import type { HttpAttempt } from '../options.ts';

const attempts = new WeakMap<IncomingMessage, HttpAttempt>();

/**
 * The attempt of a request that `onceEachNodeRequest` has passed to its handler. Undefined for any other request.
 *
 * @example
 * ```ts
 * const idempotencyKey = attemptOf(incoming)?.childKey('charge');
 * ```
 */
export function attemptOf(request: IncomingMessage): HttpAttempt | undefined {
  return attempts.get(request);
}

export function setAttempt(request: IncomingMessage, attempt: HttpAttempt): void {
  attempts.set(request, attempt);
}
