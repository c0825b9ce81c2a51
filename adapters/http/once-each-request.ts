import * as z from 'zod/mini';
import {
  handlerOption,
  hasMethods,
  NOT_AN_OBJECT,
  lazily,
  type NeedsTransactions,
  checkConsumerOptions,
  resolveOptions,
  consumerFields,
} from '../../src/adapter-kit.ts';
import { type Counts, InvalidOptionsError, type MissingOption, type StepAttempt } from '../../src/index.ts';
import { BodyTooLargeError } from './body-too-large-error.ts';
import type { HttpEventType } from './events.ts';
import { unlessOver } from './deadline.ts';
import { cancel, readAll } from './fetch-body.ts';
import { produce, toResponse } from './fetch-response.ts';
import { checkRoute, type HttpAttempt, type HttpOptions, httpFields } from './options.ts';
import { processRequest, type ReceivedRequest } from './process-request.ts';
import { bodyIsGone, createProcessor, type Processor } from './processor.ts';
import { unrecordedAttempt } from './unrecorded-attempt.ts';

const SUBJECT = 'onceEachRequest';

/** Options of `onceEachRequest`. `Context` is what the server gives in addition to the request. */
export interface RequestOptions<Context = unknown, InTransaction extends boolean = false> extends HttpOptions<
  Request,
  [context: Context]
> {
  /** With true, handlers get a transaction as third argument, and the record commits with it. Default false. */
  readonly inTransaction?: InTransaction | undefined;
}

/** A Fetch handler that also gets its attempt. */
export type RequestHandler<Context = unknown> = (
  request: Request,
  attempt: StepAttempt<HttpAttempt>,
  context: Context,
) => Response | PromiseLike<Response>;

/** What a handler gets as third argument: the context that it names, or else nothing that it can use. */
type NamedContext<Context> = unknown extends Context
  ? MissingOption<'inTransaction: true, or a type for the context'>
  : Context;

/** The same with the transaction that its record commits in. */
export type TransactionalRequestHandler<Tx, Context = unknown> = (
  request: Request,
  attempt: HttpAttempt,
  transaction: Tx,
  context: Context,
) => Response | PromiseLike<Response>;

/** What `onceEachRequest` returns: a Fetch handler. */
export interface OnceEachRequest<Context = unknown> {
  /**
   * Answers a request. Throws what the handler or `principal` throws, and `InvalidOptionsError` on a request whose body
   * was read before, and on what is no `Request`.
   */
  (
    request: Request,
    ...context: unknown extends Context ? [context?: unknown] : [context: Context]
  ): Promise<Response>;
  /** How often each type of event happened. */
  counts(): Counts<HttpEventType>;
}

/**
 * Wraps a Fetch handler so that requests with the same `Idempotency-Key` run it once: the others are answered from the
 * record, byte for byte. For Hono, Next.js, Bun, Deno, and everything else that takes `(Request) => Response`.
 *
 * A client that hangs up changes nothing: the handler runs to its end, and a retry gets its answer. Use
 * `attempt.signal` in the handler, not `request.signal`.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const createOrder = onceEachRequest(
 *   { handleOnce, route: '/orders', principal: userOf },
 *   async (request, attempt) => {
 *     const order = readOrder(await request.json());
 *     const { id } = await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *     return Response.json({ id }, { status: 201, headers: { location: `/orders/${id}` } });
 *   },
 * );
 * ```
 */
export function onceEachRequest<Tx, Context = unknown>(
  options: RequestOptions<Context, true> & NeedsTransactions<Tx>,
  handler: TransactionalRequestHandler<Tx, Context>,
): OnceEachRequest<Context>;
export function onceEachRequest<Context = unknown>(
  options: RequestOptions<Context>,
  handler: RequestHandler<NamedContext<Context>>,
): OnceEachRequest<Context>;
export function onceEachRequest(options: object, handler: unknown): OnceEachRequest {
  const settings = resolveOptions(SUBJECT, requestOptions(), options, handler);
  const processor = createProcessor(SUBJECT, settings, settings.inTransaction);
  const run = settings.handler;

  async function handleRequest(request: Request, context?: unknown): Promise<Response> {
    checkRequest(request);
    const answer = await processRequest(processor, received(processor, run, request, context));
    if (answer.kind !== 'pass') return toResponse(answer, settings.docs);
    return await run(request, unrecordedAttempt(settings), context);
  }

  return Object.assign(handleRequest, { counts: processor.events.counts });
}

/** By shape: servers have classes of their own. */
function checkRequest(request: Partial<Request> | null | undefined): void {
  const isRequest =
    typeof request?.method === 'string' &&
    URL.canParse(request.url ?? '') &&
    hasMethods(request.headers, ['get']);
  if (isRequest) return;
  const message = 'must be a Request of the Fetch standard: pass the one that the server has made';
  throw new InvalidOptionsError(SUBJECT, [{ field: 'request', message }]);
}

type AnyRequestHandler = (
  request: Request,
  attempt: HttpAttempt,
  ...more: unknown[]
) => Response | PromiseLike<Response>;

function received(
  processor: Processor,
  handler: AnyRequestHandler,
  request: Request,
  context: unknown,
): ReceivedRequest<Response> {
  const { maxRequestBytes, principal } = processor.settings;
  const { pathname, search } = new URL(request.url);
  let hasBegun = false;
  const discard = (response: Response | undefined): void => {
    cancel(response?.body ?? null);
  };
  return {
    method: request.method,
    subject: SUBJECT,
    target: pathname + search,
    keyHeader: request.headers.get('idempotency-key') ?? undefined,
    request,
    principal: () => principal?.(request as never, context as never),
    readBody: () => bodyOf(request, maxRequestBytes),
    hasBegun: () => hasBegun,
    async run(attempt, over, ...transaction) {
      hasBegun = false;
      // A transaction that lost a conflict runs again, and needs an unread body.
      const own = processor.inTransaction ? request.clone() : request;
      const returned = await unlessOver(over, () => handler(own, attempt, ...transaction, context), discard);
      hasBegun = true;
      return await produce(processor, returned, over);
    },
    discard,
  };
}

/** Of a copy, so that the handler still gets the request as the server made it. */
async function bodyOf(request: Request, maxBytes: number): Promise<Buffer> {
  if (request.bodyUsed) throw bodyIsGone(SUBJECT, 'put onceEachRequest in front of what reads it');
  if (Number(request.headers.get('content-length')) > maxBytes) throw new BodyTooLargeError();
  return await readAll(request.clone().body, maxBytes);
}

const requestOptions = lazily(() =>
  z
    .strictObject(
      {
        ...httpFields(),
        inTransaction: consumerFields().inTransaction,
        handler: handlerOption<AnyRequestHandler>('request, attempt'),
      },
      NOT_AN_OBJECT,
    )
    .check(
      z.superRefine(checkRoute),
      z.superRefine(checkConsumerOptions),
      z.refine(({ inTransaction, required }) => required || !inTransaction, {
        path: ['required'],
        error: 'must be true with inTransaction: a request without a key has no transaction',
      }),
    ),
);
