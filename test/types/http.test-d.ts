import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type StepAttempt,
  type Attempt,
  createHandleOnce,
  type EventError,
  type HandleOnce,
} from 'handle-once';
import {
  attemptOf,
  type HttpAttempt,
  type HttpEvent,
  onceEachNodeRequest,
  type OnceEachRequest,
  onceEachRequest,
} from 'handle-once/http';
import postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';

declare const handleOnce: HandleOnce;
const base = { handleOnce, route: '/orders', principal: null } as const;

test('the caller is asked for', () => {
  // @ts-expect-error -- it is missing
  onceEachRequest({ handleOnce, route: '/orders' }, () => new Response());
  // @ts-expect-error -- not said out loud
  onceEachRequest({ ...base, principal: undefined }, () => new Response());
  // @ts-expect-error -- null is not how it says that there is none
  onceEachRequest({ ...base, principal: (request) => request.headers.get('x-user') }, () => new Response());
  onceEachRequest({ ...base, principal: () => Promise.resolve(['acme', 'alice']) }, () => new Response());
  onceEachRequest(
    { ...base, principal: (request) => Promise.resolve(request.headers.get('x-user') ?? undefined) },
    () => new Response(),
  );
});

test('a handler gets the request and its attempt, and returns a response', () => {
  const send = onceEachRequest(base, (request, attempt) => {
    expectTypeOf(request).toEqualTypeOf<Request>();
    expectTypeOf(attempt).toEqualTypeOf<StepAttempt<HttpAttempt>>();
    return new Response();
  });
  expectTypeOf<HttpAttempt>().toExtend<Attempt>();
  expectTypeOf(send).toEqualTypeOf<OnceEachRequest>();
  expectTypeOf(send).toExtend<(request: Request) => Promise<Response>>();
  expectTypeOf(send).toExtend<(request: Request, server: { upgrade(): void }) => Promise<Response>>();
  expectTypeOf(send.counts().replayed).toEqualTypeOf<number | undefined>();
  // @ts-expect-error -- no response
  onceEachRequest(base, () => 'text');
});

test('what the server gives beside the request reaches principal and handler', () => {
  interface Route {
    readonly params: Promise<{ id: string }>;
  }
  const send = onceEachRequest<Route>(
    {
      ...base,
      principal: async (_, { params }) => (await params).id,
    },
    async (_request, _attempt, { params }) => new Response((await params).id),
  );
  expectTypeOf(send).parameter(1).toEqualTypeOf<Route>();
  onceEachRequest(base, async (_request, _attempt, { params }: Route) => new Response((await params).id));
});

test('with inTransaction a handler gets the client’s own transaction', () => {
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  onceEachRequest({ ...base, handleOnce: transactional, inTransaction: true }, (_request, attempt, tx) => {
    expectTypeOf(attempt).toEqualTypeOf<HttpAttempt>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
    return new Response();
  });
});

test('an option can be undefined', () => {
  const none = {
    methods: undefined,
    required: undefined,
    strict: undefined,
    waitMs: undefined,
    inFlightStatus: undefined,
    retryAfterSeconds: undefined,
    keptHeaders: undefined,
    maxRequestBytes: undefined,
    docs: undefined,
    fingerprint: undefined,
    ignoredFields: undefined,
    onEvent: undefined,
    logger: undefined,
  };
  onceEachRequest({ ...base, ...none, inTransaction: undefined }, () => new Response());
  onceEachNodeRequest({ ...base, ...none });
});

test('an event has its type, and never a body', () => {
  onceEachRequest(
    {
      ...base,
      onEvent: (event) => {
        expectTypeOf(event).toEqualTypeOf<HttpEvent>();
      },
    },
    () => new Response(),
  );
  expectTypeOf<HttpEvent['error']>().toEqualTypeOf<EventError | undefined>();
  expectTypeOf<HttpEvent>().not.toHaveProperty('body');
});

test('a fingerprint function gets the body and the request', () => {
  onceEachRequest(
    {
      ...base,
      fingerprint: (body, request) => {
        expectTypeOf(body).toEqualTypeOf<Buffer>();
        expectTypeOf(request).toEqualTypeOf<Request>();
      },
    },
    () => new Response(),
  );
});

test('the middleware takes the requests of node:http, and of what extends them', () => {
  const middleware = onceEachNodeRequest(base);
  expectTypeOf(middleware).toExtend<
    (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void
  >();
  interface Authenticated extends IncomingMessage {
    readonly user: { readonly id: string };
  }
  onceEachNodeRequest({ ...base, principal: (request: Authenticated) => request.user.id });
  expectTypeOf(attemptOf).toEqualTypeOf<(request: IncomingMessage) => HttpAttempt | undefined>();
  // @ts-expect-error -- the transaction would have no way to the handler
  onceEachNodeRequest({ ...base, inTransaction: true });
});
