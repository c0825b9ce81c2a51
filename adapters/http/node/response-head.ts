import { type IncomingMessage, ServerResponse } from 'node:http';
import { setHead } from './response-methods.ts';

/** What calls of a response change its headers, and how Node calls that in its errors. */
export const HEADER_CHANGES = {
  setHeader: 'set',
  setHeaders: 'set',
  appendHeader: 'append',
  removeHeader: 'remove',
} as const;

/** The status line of a response whose head counts as sent. */
export interface Head {
  readonly status: number;
  /** Undefined over HTTP/2, which has none. */
  readonly message: string | undefined;
}

/** Does what `writeHead` says, without sending it. Throws what Node throws, and then nothing is changed. */
export function takeHead(request: IncomingMessage, response: ServerResponse, args: readonly unknown[]): Head {
  const hasMessage = !(request.httpVersionMajor > 1);
  // One that is never sent: Node checks all that it is given.
  const trial = new ServerResponse(request);
  if (hasMessage) trial.statusMessage = response.statusMessage;
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value !== undefined) trial.setHeader(name, value);
  }
  Reflect.apply(Reflect.get(trial, 'writeHead') as (...given: unknown[]) => unknown, trial, args);
  setHead(response, args);
  return { status: trial.statusCode, message: hasMessage ? trial.statusMessage : undefined };
}

/** What Node throws when a head that is sent is changed. */
export function headersSent(change: string): Error {
  const error = new Error(`Cannot ${change} headers after they are sent to the client`);
  return Object.assign(error, { code: 'ERR_HTTP_HEADERS_SENT' });
}
