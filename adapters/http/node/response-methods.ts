import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isUint8Array } from 'node:util/types';
import type { Header } from '../kept-headers.ts';
import type { WholeResponse } from '../whole-response.ts';

/** A method of a response as it was when it was asked for. */
export type Call = (args: readonly unknown[]) => unknown;

export function callsOf<Name extends string>(
  response: ServerResponse,
  names: readonly Name[],
): Readonly<Record<Name, Call>> {
  const calls = names.map((name) => {
    const method = Reflect.get(response, name) as (...args: unknown[]) => unknown;
    return [name, (args: readonly unknown[]) => Reflect.apply(method, response, args)] as const;
  });
  return Object.fromEntries(calls) as Record<Name, Call>;
}

export type Callback = (error?: Error) => void;

export function callbackOf(args: readonly unknown[]): Callback | undefined {
  return args.find((arg): arg is Callback => typeof arg === 'function');
}

/** What `end` is given to write before: it may leave that out. */
export function hasChunk([chunk]: readonly unknown[]): boolean {
  return Boolean(chunk) && typeof chunk !== 'function';
}

/** What `write` is given, as a copy: who wrote it may use its buffer again. Throws what Node throws. */
export function bytesOf(response: ServerResponse, [chunk, encoding]: readonly unknown[]): Buffer {
  if (typeof chunk === 'string') {
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  }
  // Node's own `write` throws, since it takes nothing else.
  if (!isUint8Array(chunk)) ServerResponse.prototype.write.call(response, chunk, 'utf8');
  return Buffer.from(chunk as Uint8Array);
}

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

/** Does what `writeHead(status, [message], [headers])` says, without sending it. */
export function setHead(response: ServerResponse, args: readonly unknown[]): void {
  const [status, message] = args;
  response.statusCode = Number(status);
  if (typeof message === 'string') response.statusMessage = message;
  const headers = (typeof message === 'string' ? args[2] : message) as GivenHeaders;
  if (headers === undefined) return;
  const pairs = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers);
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

/** Sends a whole response. */
export function sendWhole(
  response: ServerResponse,
  { status, headers, body }: WholeResponse,
  idempotencyStatus: string,
): void {
  response.statusCode = status;
  response.setHeader('idempotency-status', idempotencyStatus);
  for (const name of new Set(headers.map(([known]) => known))) {
    const values = headers.filter(([known]) => known === name).map(([, value]) => value);
    response.setHeader(name, values.length === 1 ? String(values[0]) : values);
  }
  if (body.length === 0) response.end();
  else response.end(body);
}
