import { type IncomingMessage, ServerResponse } from 'node:http';
import { isImplicit } from './discarded-calls.ts';
import { type Calls, type Front, putInFront } from './response-calls.ts';

/**
 * A response that is never sent, with the head of another: it takes what a handler answers whose client has been
 * answered before.
 */
export interface StandIn {
  readonly response: ServerResponse;
  readonly front: Front;
}

export function standInFor(request: IncomingMessage, response: ServerResponse): StandIn {
  const standIn = new ServerResponse(request);
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value !== undefined) standIn.setHeader(name, value);
  }
  standIn.statusCode = response.statusCode;
  return { response: standIn, front: putInFront(standIn) };
}

/** Has what is assigned to a response that has been sent reach its stand-in. */
export function assignTo({ response: standIn }: StandIn, response: ServerResponse): void {
  const isHttp2 = response.req.httpVersionMajor > 1;
  for (const name of ['statusCode', ...(isHttp2 ? [] : ['statusMessage'])]) {
    const sent: unknown = Reflect.get(response, name);
    Object.defineProperty(response, name, {
      configurable: true,
      get: () => sent,
      set: (value: unknown) => Reflect.set(standIn, name, value),
    });
  }
}

/** What is called in place of the methods of a response that has been sent. `taken` are those of its stand-in. */
export function callsTo(taken: Calls, response: ServerResponse, { own, use }: Front): Calls {
  const calls: Calls = {
    ...taken,
    _implicitHeader: own._implicitHeader,
    emit: own.emit,
    writeHead(args) {
      if (isSent(response) || !isImplicit(response, args)) return taken.writeHead(args);
      // What is asked then sets headers.
      use(own);
      const result = own.writeHead(args);
      use(calls);
      return result;
    },
  };
  return calls;
}

/** Whether the head of a response has left, whatever its handler is told. */
export function isSent(response: ServerResponse): boolean {
  return Reflect.get(Object.getPrototypeOf(response) as object, 'headersSent', response) === true;
}
