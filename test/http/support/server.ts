import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Serves on a port of its own until the test ends. Resolves with the URL. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A response as it came over the wire. */
export interface Wire {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

const JSON_BODY = '{"cents":995}';

/** Sends a POST; a key of two is two headers. */
export async function send(
  url: string,
  key: string | readonly string[] | undefined,
  sent: Sent = {},
): Promise<Wire> {
  const { method = 'POST', path = '/orders', body = JSON_BODY, headers = {} } = sent;
  const keyed = key === undefined ? {} : { 'idempotency-key': key as string | string[] };
  const type = { 'content-type': 'application/json' };
  const request = httpRequest(url + path, {
    method,
    agent: false,
    headers: { ...type, ...(headers as object), ...keyed },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}

/** Sends a POST, and hangs up when `until` has come. */
export async function hangUp(
  url: string,
  key: string,
  until: Promise<unknown>,
  sent: Sent = {},
): Promise<void> {
  const { path = '/orders', body = JSON_BODY, headers = {} } = sent;
  const all = { 'content-type': 'application/json', 'idempotency-key': key, ...(headers as object) };
  const request = httpRequest(url + path, { method: 'POST', agent: false, headers: all });
  request.on('error', () => undefined);
  request.end(body);
  await until;
  request.destroy();
}

/** `Idempotency-Status` of a response. */
export function told({ status, headers }: Wire): [status: number, idempotencyStatus: unknown] {
  return [status, headers['idempotency-status']];
}
