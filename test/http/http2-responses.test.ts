import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { type Handler, type NodeBench, nodeBench } from './support/node-bench.ts';

type Options = Parameters<typeof nodeBench>[1];

async function serve(
  handler: Handler,
  options?: Options,
): Promise<NodeBench & { readonly client: ClientHttp2Session }> {
  const bench = nodeBench(handler, options);
  const server = createServer(bench.listener as never);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { ...bench, client };
}

function open(client: ClientHttp2Session, method = 'POST'): ClientHttp2Stream {
  const stream = client.request({ ':method': method, ':path': '/orders', 'idempotency-key': 'a' });
  stream.end(method === 'POST' ? '{}' : undefined);
  return stream;
}

interface Received {
  readonly status: [status: unknown, idempotencyStatus: unknown];
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function send(client: ClientHttp2Session, method?: string): Promise<Received> {
  const stream = open(client, method);
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  return { status: [headers[':status'], headers['idempotency-status']], headers, body: await text(stream) };
}

/** Sends a request, and resets its stream once `opened`. */
async function reset(client: ClientHttp2Session, opened: Promise<void>): Promise<void> {
  const stream = open(client);
  stream.on('error', () => undefined);
  await opened;
  stream.close(constants.NGHTTP2_CANCEL);
}

const streamOf = (response: ServerResponse) => (response as unknown as Http2ServerResponse).stream;

describe('Over HTTP/2', () => {
  it('trailers reach the first client, and are not replayed', async () => {
    const { client } = await serve((_, response) => {
      response.setHeader('trailer', 'x-sum');
      response.write('a');
      response.addTrailers({ 'x-sum': '1' });
      response.end('b');
    });
    const first = open(client);
    const trailers = once(first, 'trailers');
    expect(await text(first)).toBe('ab');
    expect((await trailers)[0]).toMatchObject({ 'x-sum': '1' });
    const replay = await send(client);
    expect([replay.status, replay.body, replay.headers.trailer]).toEqual([
      [200, 'replayed'],
      'ab',
      undefined,
    ]);
  });

  it('early hints reach the first client at once, and are not replayed', async () => {
    const { client } = await serve((_, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.end('done');
    });
    const early: unknown[] = [];
    for (const status of ['stored', 'replayed']) {
      const stream = open(client);
      stream.on('headers', (headers: IncomingHttpHeaders) => early.push([headers[':status'], status]));
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
      expect([headers['idempotency-status'], await text(stream)]).toEqual([status, 'done']);
    }
    expect(early).toEqual([[103, 'stored']]);
  });

  it.each([
    ['POST', 204],
    ['POST', 304],
    ['HEAD', 200],
  ])('a body that is none of a %s answered %i is left out', async (method, status) => {
    const { client, runs } = await serve((_, response) => response.writeHead(status).end('x'), {
      methods: [method],
    });
    for (const idempotencyStatus of ['stored', 'replayed']) {
      const answer = await send(client, method);
      expect([answer.status, answer.body]).toEqual([[status, idempotencyStatus], '']);
    }
    expect(runs()).toBe(1);
  });

  it.each(['keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection', 'http2-settings'])(
    'the header %s is refused in the call of the handler, as Node does',
    async (name) => {
      let code: unknown;
      const { client } = await serve((_, response) => {
        response.setHeader(name, 'x');
        try {
          response.writeHead(201);
        } catch (error) {
          code = (error as { code?: string }).code;
        }
        response.removeHeader(name);
        response.writeHead(200).end('done');
      });
      expect((await send(client)).status).toEqual([200, 'stored']);
      expect(code).toBe('ERR_HTTP2_INVALID_CONNECTION_HEADERS');
    },
  );

  it('the refusal of a stream sets no message, which Node would warn of', async () => {
    const messages: unknown[] = [];
    const { client } = await serve((_, response) => {
      Object.defineProperty(response, 'statusMessage', { set: (message) => messages.push(message) });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('a');
    });
    expect((await send(client)).status).toEqual([500, 'stored']);
    expect(messages).toEqual([]);
  });

  it('a client is answered at the timeout, and its retry with what the handler answers later', async () => {
    const released = gate();
    const { client, runs } = await serve(
      async (_, response) => {
        await released.opened;
        response.statusCode = 201;
        response.setHeader('location', '/orders/1').end('done');
      },
      { core: { timeoutMs: 50 } },
    );
    expect((await send(client)).status).toEqual([503, 'timed-out']);
    released.open();
    await expect.poll(async () => (await send(client)).status).toEqual([201, 'replayed']);
    const { headers, body } = await send(client);
    expect([headers.location, body, runs()]).toEqual(['/orders/1', 'done', 1]);
  });

  it('a client that resets its stream changes nothing: its handler is told after its answer', async () => {
    const [started, gone, closed] = [gate(), gate(), gate()];
    const seen: string[] = [];
    const { client, runs } = await serve(async (_, response) => {
      streamOf(response).on('close', gone.open);
      for (const event of ['finish', 'close']) response.on(event, () => seen.push(event));
      response.on('close', closed.open);
      started.open();
      await gone.opened;
      seen.push('answers');
      await pipeline(Readable.from(['a', 'b']), response);
    });
    await reset(client, started.opened);
    await closed.opened;
    expect(seen).toEqual(['answers', 'finish', 'close']);
    const retry = await send(client);
    expect([retry.status, retry.body, runs()]).toEqual([[200, 'replayed'], 'ab', 1]);
  });

  it('an answer past the response is none that can be recorded: the attempt is released, and says so', async () => {
    const { client, events } = await serve((_, response) => {
      const stream = streamOf(response);
      stream.respond({ ':status': 200 });
      stream.end('past');
    });
    const { status, body } = await send(client);
    expect([status, body]).toEqual([[200, undefined], 'past']);
    await until(() => events.length === 1);
    expect(events).toMatchObject([{ type: 'released', error: { message: /response\.stream/ } }]);
  });

  it.each<[what: string, close: Handler]>([
    ['by the response', (_, response) => response.destroy()],
    ['by its socket', (request) => request.socket.destroy()],
  ])('a stream that the handler closes before its answer is released: %s', async (_, close) => {
    const { client, runs, events } = await serve((request, response) =>
      runs() === 1 ? close(request, response) : response.end('done'),
    );
    const stream = open(client);
    stream.on('error', () => undefined);
    await once(stream, 'close');
    expect(events).toMatchObject([{ type: 'released' }]);
    expect((await send(client)).status).toEqual([200, 'stored']);
  });
});
