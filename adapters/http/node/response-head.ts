import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Header } from '../kept-headers.ts';

/** Headers of a connection, which Node takes over HTTP/2, and refuses when it sends them. */
const OF_CONNECTION = ['http2-settings', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'];

/** Does what `writeHead(status, [message], [headers])` says, without sending it. Throws what Node throws. */
export function takeHead(request: IncomingMessage, response: ServerResponse, args: readonly unknown[]) {
  const isHttp2 = request.httpVersionMajor > 1;
  // Node takes 2.0 for 1.0.
  const asked = isHttp2
    ? (Object.create(request, { httpVersionMinor: { value: 1 } }) as IncomingMessage)
    : request;
  // One that is never sent: Node checks all that it is given.
  const trial = new ServerResponse(asked);
  if (!isHttp2) trial.statusMessage = response.statusMessage;
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value !== undefined) trial.setHeader(name, value);
  }
  Reflect.apply(Reflect.get(trial, 'writeHead') as (...given: unknown[]) => unknown, trial, args);
  setHead(response, args);
  if (isHttp2) refuseHeadersOfConnection(response);
  return { status: trial.statusCode, message: isHttp2 ? undefined : trial.statusMessage };
}

export type StatusLine = ReturnType<typeof takeHead>;

function refuseHeadersOfConnection(response: ServerResponse): void {
  const name = OF_CONNECTION.find((refused) => response.hasHeader(refused));
  if (name === undefined) return;
  const error = new TypeError(`HTTP/1 Connection specific headers are forbidden: "${name}"`);
  throw Object.assign(error, { code: 'ERR_HTTP2_INVALID_CONNECTION_HEADERS' });
}

function setHead(response: ServerResponse, args: readonly unknown[]): void {
  const [status, message, given] = args;
  const headers = given ?? (typeof message === 'string' ? undefined : message);
  response.statusCode = Number(status);
  if (typeof message === 'string') response.statusMessage = message;
  if (typeof headers !== 'object' || headers === null) return;
  const pairs = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers as OutgoingHttpHeaders);
  for (const [name, value] of pairs) {
    if (value !== undefined) response.setHeader(name, value);
  }
}

/** Of a list of names and values by turns, or of pairs. A name that is there twice has both values. */
function pairsOf(list: readonly unknown[]): [string, string[]][] {
  const flat = Array.isArray(list[0]) ? list.flat() : list;
  const byName = new Map<string, [string, string[]]>();
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const name = String(flat[index]);
    const [known, values] = byName.get(name.toLowerCase()) ?? [name, []];
    byName.set(name.toLowerCase(), [known, [...values, ...[flat[index + 1]].flat().map(String)]]);
  }
  return [...byName.values()];
}

/** The headers of a response as they are set. */
export function headersOf(response: ServerResponse): Header[] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    [value].flat().map((text) => [name, String(text)] as const),
  );
}
