import { createHandleOnce, type HandleOnceOptions } from 'handle-once';
import { type HttpEvent, type HttpOptions, onceEachNodeRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { serve } from './server.ts';
import { type Middleware, stack } from './stack.ts';

export type Handler = (request: IncomingMessage & { body?: unknown }, response: ServerResponse) => unknown;

interface Options extends Partial<Omit<HttpOptions<IncomingMessage>, 'handleOnce' | 'onEvent'>> {
  readonly core?: Partial<HandleOnceOptions>;
  /** In front of the middleware. */
  readonly before?: readonly Middleware[];
  /** Between the middleware and the handler. */
  readonly behind?: readonly Middleware[];
}

/** The middleware and a handler, and what happened to them. */
export interface NodeBench {
  readonly listener: RequestListener;
  readonly events: HttpEvent[];
  readonly runs: () => number;
}

export function nodeBench(
  handler: Handler,
  { core, before = [], behind = [], ...options }: Options = {},
): NodeBench {
  const events: HttpEvent[] = [];
  let runs = 0;
  const middleware = onceEachNodeRequest({
    handleOnce: createHandleOnce({
      store: createMemoryStore(),
      scope: 'api',
      onEvent: () => undefined,
      ...core,
    }),
    route: '/orders',
    principal: null,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const counted: Middleware = (request, response) => {
    runs += 1;
    return handler(request, response);
  };
  return { listener: stack(...before, middleware, ...behind, counted), events, runs: () => runs };
}

/** The same on a port of its own, until the test ends. */
export async function listen(
  handler: Handler,
  options?: Options,
): Promise<NodeBench & { readonly url: string }> {
  const bench = nodeBench(handler, options);
  return { ...bench, url: await serve(bench.listener) };
}

export function json(response: ServerResponse, status: number, value: unknown): ServerResponse {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  return response.end(body);
}
