import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Handler, nodeBench } from './support/node-bench.ts';
import { parseJson } from './support/stack.ts';

async function serve(handler: Handler): Promise<{ client: ClientHttp2Session; runs: () => number }> {
  const { listener, runs } = nodeBench(handler, { behind: [parseJson], maxRequestBytes: 300_000 });
  // Its compatible requests and responses have the methods of node:http, and other types.
  const server = createServer(listener as never);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { client, runs };
}

/** Sends a POST without a length, as HTTP/2 allows. */
async function send(client: ClientHttp2Session, body: string): Promise<[unknown, unknown, string]> {
  const request = client.request({ ':method': 'POST', ':path': '/orders', 'idempotency-key': 'a' });
  request.end(body);
  const [headers] = (await once(request, 'response')) as [IncomingHttpHeaders];
  return [headers[':status'], headers['idempotency-status'], await text(request)];
}

describe('Over HTTP/2', () => {
  it.each([
    ['short', '{"a":1}'],
    ['long', JSON.stringify('x'.repeat(200_000))],
    ['empty', ''],
  ])('a body that is %s reaches the parser, and is compared', async (_, body) => {
    const { client, runs } = await serve((request, response) => {
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(String((JSON.stringify(request.body) as string | undefined)?.length));
    });
    const length = String(body === '' ? undefined : body.length);
    expect(await send(client, body)).toEqual([201, 'stored', length]);
    expect(await send(client, body)).toEqual([201, 'replayed', length]);
    expect((await send(client, '{"a":2}')).slice(0, 2)).toEqual([422, 'mismatch']);
    expect((await send(client, JSON.stringify('x'.repeat(300_000)))).slice(0, 2)).toEqual([
      413,
      'body-too-large',
    ]);
    expect(runs()).toBe(1);
  });

  it('a stream is refused, and its retry gets the same', async () => {
    const { client, runs } = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('a'),
    );
    expect((await send(client, '')).slice(0, 2)).toEqual([500, 'stored']);
    expect((await send(client, '')).slice(0, 2)).toEqual([500, 'replayed']);
    expect(runs()).toBe(1);
  });
});
