import { once } from 'node:events';
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { createHandleOnce } from 'handle-once';
import { onceEachNodeRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { type Handler, json, listen, nodeBench } from './support/node-bench.ts';
import { send, serve, told } from './support/server.ts';
import { type Middleware, parseJson } from './support/stack.ts';

const echo: Handler = (request, response) => json(response, 200, { body: request.body ?? null });

/** One connection, which is used again. */
function oneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
  });
  return agent;
}

function open(url: string, agent: Agent | false, headers: Record<string, string> = {}): ClientRequest {
  const keyed = { 'content-type': 'application/json', 'idempotency-key': 'a', ...headers };
  return httpRequest(`${url}/orders`, { method: 'POST', agent, headers: keyed });
}

async function answered(request: ClientRequest): Promise<{ status: [number, unknown]; body: string }> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(response);
  return { status: [response.statusCode ?? 0, response.headers['idempotency-status']], body };
}

async function socketTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return socket;
}

/** The statuses of responses as they came over a connection. */
function statusesIn(received: Buffer): string[] {
  return Array.from(received.toString('latin1').matchAll(/HTTP\/1.1 (\d+)/g), ([, status = '']) => status);
}

const HEAD =
  'POST /orders HTTP/1.1\r\nhost: api.test\r\ncontent-type: application/json\r\nidempotency-key: a\r\n';

describe('A request', () => {
  it.each([
    ['empty and chunked', { 'transfer-encoding': 'chunked' }, ''],
    ['short and chunked', { 'transfer-encoding': 'chunked' }, '{"a":1}'],
    ['short', {}, '{"a":1}'],
  ])('that was received before its caller is known reaches the parser: %s', async (_, headers, body) => {
    const { url } = await listen(echo, {
      behind: [parseJson],
      principal: async (request) => {
        await until(() => request.complete);
        return 'alice';
      },
    });
    const first = await send(url, 'a', { headers, body });
    expect([told(first), JSON.parse(first.body.toString())]).toEqual([
      [200, 'stored'],
      { body: body === '' ? null : { a: 1 } },
    ]);
    expect(told(await send(url, 'a', { headers, body }))).toEqual([200, 'replayed']);
  });

  it('whose body is too large is read to its end: its connection serves the next', async () => {
    const { url, runs } = await listen(echo, { behind: [parseJson], maxRequestBytes: 10 });
    const socket = await socketTo(url);
    const received = buffer(socket);
    const size = 5_000_000;
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n`);
    socket.write(Buffer.alloc(size, 'a'));
    socket.write(`\r\n0\r\n\r\n${HEAD}connection: close\r\ncontent-length: 2\r\n\r\n{}`);
    expect(statusesIn(await received)).toEqual(['413', '200']);
    expect(runs()).toBe(1);
  });

  it('whose body breaks off runs nothing, and its retry is the first', async () => {
    const asked = gate();
    const { url, runs, events } = await listen(echo, {
      behind: [parseJson],
      principal: () => {
        asked.open();
        return 'alice';
      },
    });
    const socket = await socketTo(url);
    socket.write(`${HEAD}content-length: 20\r\n\r\n{"cents"`);
    await asked.opened;
    socket.destroy();
    await until(() => events.length === 1);
    expect([events[0]?.type, events[0]?.key, runs()]).toEqual(['threw', undefined, 0]);
    expect(told(await send(url, 'a'))).toEqual([200, 'stored']);
  });

  it('that waits to be told to go on is told so', async () => {
    const { url } = await listen(echo, { behind: [parseJson] });
    const request = open(url, false, { expect: '100-continue', 'content-length': '7' });
    request.flushHeaders();
    await once(request, 'continue');
    request.end('{"a":1}');
    expect(await answered(request)).toEqual({ status: [200, 'stored'], body: '{"body":{"a":1}}' });
  });

  it('that follows its duplicate on one connection before that is answered is told so', async () => {
    const held = gate();
    const { url, events } = await listen(
      async (_, response) => {
        await held.opened;
        response.end('done');
      },
      { behind: [parseJson] },
    );
    const socket = await socketTo(url);
    const received = buffer(socket);
    const one = `${HEAD}content-length: 2\r\n`;
    socket.write(`${one}\r\n{}${one}connection: close\r\n\r\n{}`);
    await until(() => events.some(({ type }) => type === 'in-flight'));
    held.open();
    expect(statusesIn(await received)).toEqual(['200', '409']);
  });

  it('and its duplicates can share a connection, whether their bodies were read or not', async () => {
    const body = JSON.stringify('x'.repeat(200_000));
    const connections = new Set<unknown>();
    const note: Middleware = (request, _response, next) => {
      connections.add(request.socket);
      return next();
    };
    const handler: Handler = (_, response) => json(response, 201, {});
    const { url, runs } = await listen(handler, { before: [note], behind: [parseJson] });
    const agent = oneConnection();
    const statuses: unknown[] = [];
    for (const sent of [body, body, `${body} `, body]) {
      statuses.push((await answered(open(url, agent).end(sent))).status);
    }
    expect(statuses).toEqual([
      [201, 'stored'],
      [201, 'replayed'],
      [422, 'mismatch'],
      [201, 'replayed'],
    ]);
    expect([connections.size, runs()]).toEqual([1, 1]);
  });

  it.each(['HEAD', 'OPTIONS', 'GET', 'PUT', 'DELETE'])('of %s is none of its business', async (method) => {
    const { url, runs, events } = await listen((_, response) => response.writeHead(204).end());
    for (let n = 0; n < 2; n += 1) {
      expect(told(await send(url, 'a', { method, body: '' }))).toEqual([204, undefined]);
    }
    expect([runs(), events]).toEqual([2, []]);
  });

  it.each([
    ['a%62', 'ab'],
    ['a', 'A'],
    ['a/b', 'a%2Fb'],
  ])('has its key as it was sent: %s is not %s', async (one, other) => {
    const { url, runs } = await listen((_, response) => response.end('done'));
    expect(told(await send(url, one))).toEqual([200, 'stored']);
    expect(told(await send(url, other))).toEqual([200, 'stored']);
    expect(runs()).toBe(2);
  });

  it('that another has answered meanwhile is left alone, and runs nothing', async () => {
    const held = gate();
    const timeout: Middleware = (request, response, next) => {
      void next();
      if (request.headers['x-slow'] === undefined) return;
      response.writeHead(503).end('too late');
      held.open();
    };
    const { url, runs } = await listen((_, response) => response.end('done'), {
      before: [timeout],
      principal: async (request) => {
        if (request.headers['x-slow'] !== undefined) await held.opened;
        return 'alice';
      },
    });
    expect(told(await send(url, 'a'))).toEqual([200, 'stored']);
    expect(told(await send(url, 'a', { headers: { 'x-slow': '1' } }))).toEqual([503, undefined]);
    expect(told(await send(url, 'b', { headers: { 'x-slow': '1' } }))).toEqual([503, undefined]);
    await expect.poll(async () => told(await send(url, 'b'))).toEqual([200, 'stored']);
    expect(runs()).toBe(2);
  });
});

describe('A connection', () => {
  it('of HTTP/1.0 gets the answer and its replay, and is closed', async () => {
    const { url, runs } = await listen((_, response) => [response.write('a'), response.end('b')]);
    for (const status of ['stored', 'replayed']) {
      const socket = await socketTo(url);
      socket.write('POST /orders HTTP/1.0\r\nidempotency-key: a\r\ncontent-length: 2\r\n\r\n{}');
      const received = await text(socket);
      expect(received).toContain(`idempotency-status: ${status}\r\n`);
      expect(received.split('\r\n\r\n')[1]).toBe('ab');
    }
    expect(runs()).toBe(1);
  });

  it('that its handler wants closed is closed after the answer, and not after the replay', async () => {
    const { url } = await listen((_, response) => response.setHeader('connection', 'close').end('done'));
    const agent = oneConnection();
    const connections: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      const request = open(url, agent).end('{}');
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      connections.push(response.headers.connection);
      await text(response);
    }
    expect(connections).toEqual(['close', 'keep-alive', 'keep-alive']);
  });

  it('has its answers in the order of their requests, whichever is on record first', async () => {
    const held = gate();
    const { url, events } = await listen(async (request, response) => {
      if (request.headers['idempotency-key'] === 'a') await held.opened;
      response.end('done');
    });
    const socket = await socketTo(url);
    const received = buffer(socket);
    const second = HEAD.replace('key: a', 'key: b').replace('/orders', '/orders/2');
    socket.write(`${HEAD}content-length: 2\r\n\r\n{}`);
    socket.write(`${second}connection: close\r\ncontent-length: 2\r\n\r\n{}`);
    await until(() => events.length === 1);
    held.open();
    expect(statusesIn(await received)).toEqual(['200', '200']);
    expect(events.map(({ key }) => key)).toEqual(['-:b', '-:a']);
  });

  it('whose second handler closes it gets the first answer before that', async () => {
    const held = gate();
    const { url, events } = await listen(async (request, response) => {
      if (request.headers['idempotency-key'] === 'b') return response.destroy();
      await held.opened;
      return response.end('done');
    });
    const socket = await socketTo(url);
    const received = buffer(socket);
    const one = `${HEAD}content-length: 2\r\n\r\n{}`;
    socket.write(one + one.replace('key: a', 'key: b'));
    await until(() => events.length === 1);
    held.open();
    expect(statusesIn(await received)).toEqual(['200']);
    expect(events.map(({ type }) => type)).toEqual(['released', 'stored']);
  });

  it('is closed where Node refuses what is sent, which is reported and not thrown', async () => {
    const reported: unknown[] = [];
    const report = (fields: object): void => void reported.push(fields);
    const logger = { debug: report, info: report, warn: report, error: report };
    let isResolved = false;
    const middleware = onceEachNodeRequest({
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'api', onEvent: () => undefined }),
      route: '/orders',
      principal: null,
      logger,
    });
    const url = await serve((request, response) => {
      Object.assign(response, { strictContentLength: true });
      const next = () => response.setHeader('content-length', 5).end('abc');
      void middleware(request, response, next).then(() => (isResolved = true));
    });
    await expect(send(url, 'a')).rejects.toThrow();
    await until(() => isResolved);
    expect(reported).toMatchObject([{ code: 'ANSWER_NOT_SENT' }]);
  });
});

describe('A server that says itself that a request may go on', () => {
  it('does so in front of the middleware: the handler gets the body', async () => {
    const { listener } = nodeBench(echo, { behind: [parseJson] });
    const server = createServer();
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      response.writeContinue();
      listener(request, response);
    });
    onTestFinished(() => {
      server.close();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const status of ['stored', 'replayed']) {
      const request = open(url, false, { expect: '100-continue', 'content-length': '7' });
      request.flushHeaders();
      await once(request, 'continue');
      request.end('{"a":1}');
      expect(await answered(request)).toEqual({ status: [200, status], body: '{"body":{"a":1}}' });
    }
  });
});
