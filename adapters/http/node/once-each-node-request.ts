import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { NOT_AN_OBJECT, lazily, parseOptions, checkConsumerOptions } from '../../../src/adapter-kit.ts';
import type { Counts } from '../../../src/index.ts';
import type { HttpEventType } from '../events.ts';
import { checkRoute, httpFields, type HttpOptions } from '../options.ts';
import { processRequest } from '../process-request.ts';
import { createProcessor } from '../processor.ts';
import { Exchange } from './exchange.ts';

const SUBJECT = 'onceEachNodeRequest';

/** What `onceEachNodeRequest` returns: middleware. */
export interface OnceEachNodeRequest<Incoming extends IncomingMessage = IncomingMessage> {
  /**
   * Answers a request from its record, or calls `next` for the handler. It resolves when it has answered, or before
   * that when `next` has resolved: then the answer may be still to come. It calls `next` with what `principal` throws,
   * and rejects with what `next` throws.
   */
  (request: Incoming, response: ServerResponse, next: (error?: unknown) => unknown): Promise<void>;
  /** How often each type of event happened. */
  counts(): Counts<HttpEventType>;
}

/**
 * Makes middleware for Express, and for other servers that take `(request, response, next)` of `node:http`: requests
 * with the same `Idempotency-Key` reach the handler once, and the others are answered from the record, byte for byte.
 *
 * The answer is held back until it is on record. Put the middleware after authentication and compression, and before
 * body parsers. Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const once = onceEachNodeRequest({ handleOnce, route: '/orders', principal: null });
 * createServer((incoming, outgoing) => void once(incoming, outgoing, () => outgoing.end('done')));
 * ```
 */
export function onceEachNodeRequest<Incoming extends IncomingMessage = IncomingMessage>(
  options: HttpOptions<Incoming>,
): OnceEachNodeRequest<Incoming> {
  const settings = parseOptions(SUBJECT, nodeOptions(), options);
  const processor = createProcessor(SUBJECT, settings, false);

  async function middleware(
    request: Incoming,
    response: ServerResponse,
    next: (error?: unknown) => unknown,
  ): Promise<void> {
    const exchange = new Exchange(SUBJECT, processor, request, response, next);
    const answered = processRequest(processor, exchange.received()).then((answer) => exchange.apply(answer));
    // What calls the middleware may answer only then, as Koa does.
    await Promise.race([answered, exchange.handled]);
  }

  return Object.assign(middleware, { counts: processor.events.counts });
}

const nodeOptions = lazily(() =>
  z
    .strictObject(httpFields(), NOT_AN_OBJECT)
    .check(z.superRefine(checkRoute), z.superRefine(checkConsumerOptions)),
);
