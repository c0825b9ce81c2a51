import { once } from 'node:events';
import { createHandleOnce, RetryableError } from 'handle-once';
import { attemptOf, onceEachNodeRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gate } from '../support/gate.ts';
import { type Handler, json, listen } from './support/node-bench.ts';
import { hangUp, send, serve, told, type Wire } from './support/server.ts';
import { compress, type Middleware, parseJson } from './support/stack.ts';

/** What differs between any two responses. */
const OF_EACH = ['connection', 'date', 'idempotency-status', 'keep-alive'];

const seen = ({ status, headers, body }: Wire) => ({
  status,
  headers: Object.entries(headers).filter(([name]) => !OF_EACH.includes(name)),
  body: body.toString('hex'),
});

describe('A replay', () => {
  it.each<[what: string, handler: Handler]>([
    ['JSON by writeHead', (_, response) => json(response, 201, { id: 1 })],
    [
      'setHeader and end',
      (_, response) => {
        response.statusCode = 202;
        response.setHeader('Link', ['</a>; rel="a"', '</b>; rel="b"']);
        response.end('größe');
      },
    ],
    [
      'writeHead with a message and a list',
      (_, response) =>
        response.writeHead(200, 'Fine', ['Content-Type', 'text/plain', 'Vary', 'a', 'Vary', 'b']).end('x'),
    ],
    [
      'several writes',
      (_, response) => {
        response.write('a', 'utf8', () => undefined);
        response.write(Buffer.from([0xff, 0]));
        response.end('62', 'hex');
      },
    ],
    ['nothing', (_, response) => response.writeHead(204).end()],
    ['a later end', (_, response) => setTimeout(() => response.end('later'), 20)],
  ])('of %s is the same byte for byte', async (_, handler) => {
    const { url, runs } = await listen(handler);
    const first = await send(url, 'a');
    expect(told(first)[1]).toBe('stored');
    const replay = await send(url, '"a"');
    expect(told(replay)[1]).toBe('replayed');
    expect(seen(replay)).toEqual(seen(first));
    expect(runs()).toBe(1);
  });

  it('has no Set-Cookie, and keeps what middleware in front has set', async () => {
    const cors: Middleware = (_, response, next) => {
      response.setHeader('access-control-allow-origin', '*');
      return next();
    };
    const handler: Handler = (_, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end('ok');
    };
    const { url } = await listen(handler, { before: [cors] });
    expect((await send(url, 'a')).headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'] });
    const { headers } = await send(url, 'a');
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBe('*');
  });
});

describe('The body', () => {
  const echo: Handler = (request, response) => json(response, 200, { body: request.body ?? null });

  it.each<[what: string, body: string, headers: Record<string, string>]>([
    ['short', '{"cents":995}', {}],
    ['chunked', '{"cents":995}', { 'transfer-encoding': 'chunked' }],
    ['long', JSON.stringify('x'.repeat(300_000)), {}],
    ['empty', '', { 'content-length': '0' }],
    ['empty and chunked', '', { 'transfer-encoding': 'chunked' }],
  ])('that is %s reaches the parser behind it', async (_, body, headers) => {
    const { url, runs } = await listen(echo, { behind: [parseJson], core: { maxResultBytes: 1_000_000 } });
    const first = await send(url, 'a', { body, headers });
    expect(JSON.parse(first.body.toString())).toEqual({
      body: body === '' ? null : (JSON.parse(body) as unknown),
    });
    expect(told(await send(url, 'a', { body, headers }))).toEqual([200, 'replayed']);
    expect(told(await send(url, 'a', { body: '"other"' }))).toEqual([422, 'mismatch']);
    expect(runs()).toBe(1);
  });

  it('that a parser in front has read is refused', async () => {
    const { url, runs, events } = await listen(echo, { before: [parseJson] });
    const { status, body } = await send(url, 'a');
    expect(status).toBe(500);
    expect(body.toString()).toContain('put onceEachNodeRequest in front of body parsers');
    expect(runs()).toBe(0);
    expect(events).toMatchObject([{ type: 'threw', error: { code: 'INVALID_OPTIONS' } }]);
  });

  it.each(['rawBody', 'body'])(
    'that a parser in front has kept in request.%s is taken from there',
    async (name) => {
      const keep: Middleware = async (request, _response, next) => {
        const chunks = (await request.toArray()) as Buffer[];
        Object.assign(request, { body: {}, [name]: Buffer.concat(chunks) });
        return next();
      };
      const { url } = await listen(echo, { before: [keep] });
      expect((await send(url, 'a')).status).toBe(200);
      expect(told(await send(url, 'a'))).toEqual([200, 'replayed']);
      expect(told(await send(url, 'a', { body: '{}' }))).toEqual([422, 'mismatch']);
    },
  );

  it.each([{}, { 'transfer-encoding': 'chunked' }])(
    'above maxRequestBytes is answered 413: %j',
    async (headers) => {
      const { url, runs } = await listen(echo, { maxRequestBytes: 10 });
      expect(told(await send(url, 'a', { headers }))).toEqual([413, 'body-too-large']);
      expect(runs()).toBe(0);
    },
  );

  it('is compared with the whole URL, also below the path that the middleware is mounted at', async () => {
    const mount: Middleware = (request, _response, next) => {
      Object.assign(request, { originalUrl: request.url, url: '/' });
      return next();
    };
    const { url } = await listen(echo, { before: [mount], behind: [parseJson] });
    await send(url, 'a', { path: '/orders/1' });
    expect(told(await send(url, 'a', { path: '/orders/2' }))).toEqual([422, 'mismatch']);
  });
});

describe('Compression', () => {
  const handler: Handler = (_, response) => json(response, 200, { text: 'x'.repeat(1_000) });
  const gzip = { headers: { 'accept-encoding': 'gzip' } };

  it('in front compresses each answer for its client, and what is stored is not compressed', async () => {
    const { url, runs } = await listen(handler, { before: [compress] });
    const first = await send(url, 'a', gzip);
    expect(first.headers['content-encoding']).toBe('gzip');
    const plain = await send(url, 'a');
    expect([told(plain), plain.headers['content-encoding']]).toEqual([[200, 'replayed'], undefined]);
    expect(gunzipSync(first.body)).toEqual(plain.body);
    const again = await send(url, 'a', gzip);
    expect([told(again), gunzipSync(again.body)]).toEqual([[200, 'replayed'], plain.body]);
    expect(runs()).toBe(1);
  });

  it('in front compresses the refusal of a stream too', async () => {
    const { url } = await listen(
      (_, response) => response.setHeader('content-type', 'text/event-stream').write('a'),
      { before: [compress] },
    );
    const refused = await send(url, 'a', gzip);
    expect(refused.status).toBe(500);
    expect(JSON.parse(gunzipSync(refused.body).toString())).toMatchObject({ status: 500 });
  });

  it('behind has its bytes stored: a client gets them that did not ask for them', async () => {
    const text: Handler = (_, response) => response.end('x'.repeat(1_000));
    const { url } = await listen(text, { behind: [compress] });
    const first = await send(url, 'a', gzip);
    const replay = await send(url, 'a');
    expect([told(replay), replay.headers['content-encoding']]).toEqual([[200, 'replayed'], 'gzip']);
    expect(replay.body).toEqual(first.body);
  });
});

describe('The handler', () => {
  it('runs to its end when the client hangs up, and the retry gets its answer', async () => {
    const [started, released] = [gate(), gate()];
    const { url, runs } = await listen(async (_, response) => {
      response.writeHead(201);
      started.open();
      await released.opened;
      response.end('done');
    });
    await hangUp(url, 'a', started.opened);
    expect(told(await send(url, 'a'))).toEqual([409, 'in-flight']);
    released.open();
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([201, 'replayed']);
    expect(runs()).toBe(1);
  });

  it('has its attempt, and a request that is not recorded has one too', async () => {
    const { url } = await listen(
      (request, response) => {
        const attempt = attemptOf(request);
        json(response, 200, { key: attempt?.requestKey ?? null, number: attempt?.number });
      },
      { required: false },
    );
    expect(JSON.parse((await send(url, '"k 1"')).body.toString())).toEqual({ key: 'k 1', number: 1 });
    const passed = await send(url, undefined);
    expect(JSON.parse(passed.body.toString())).toEqual({ key: null, number: 1 });
    expect(passed.headers['idempotency-status']).toBeUndefined();
  });

  it('is told that it has answered before that is sent', async () => {
    const told: unknown[] = [];
    const { url } = await listen((_, response) => {
      told.push(response.headersSent, response.writableEnded);
      response.writeHead(200);
      told.push(response.headersSent, response.writableEnded);
      response.end('ok');
      told.push(response.writableEnded);
      response.end('ignored');
    });
    expect((await send(url, 'a')).body.toString()).toBe('ok');
    expect(told).toEqual([false, false, true, false, true]);
  });

  it('that answers 5xx runs again at once, however often', async () => {
    let status = 503;
    const { url, runs } = await listen((_, response) => json(response, status, {}), {
      core: { maxAttempts: 1 },
    });
    for (let n = 0; n < 3; n += 1) expect(told(await send(url, 'a'))).toEqual([503, 'released']);
    status = 404;
    expect(told(await send(url, 'a'))).toEqual([404, 'stored']);
    expect(told(await send(url, 'a'))).toEqual([404, 'replayed']);
    expect(runs()).toBe(4);
  });

  it('that throws is released, and what it throws reaches who called the middleware', async () => {
    let thrown: unknown;
    const middleware = onceEachNodeRequest({
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'api', onEvent: () => undefined }),
      route: '/orders',
      principal: null,
    });
    const url = await serve((request, response) => {
      middleware(request, response, () => {
        throw new RetryableError('boom');
      }).catch((error: unknown) => {
        thrown = error;
        response.writeHead(500).end('caught');
      });
    });
    for (let n = 0; n < 2; n += 1) {
      const response = await send(url, 'a');
      expect([told(response), response.body.toString()]).toEqual([[500, 'released'], 'caught']);
    }
    expect(thrown).toMatchObject({ message: 'boom' });
    expect(middleware.counts()).toEqual({ released: 2 });
  });

  it('is not reached by who principal refuses', async () => {
    const { url, runs, events } = await listen((_, response) => response.end('no'), {
      principal: (request) => {
        if (request.headers.authorization === undefined) throw new Error('who are you');
        return request.headers.authorization;
      },
    });
    const { status, body } = await send(url, 'a');
    expect([status, body.toString(), runs()]).toEqual([500, 'who are you', 0]);
    for (const authorization of ['alice', 'bob']) {
      expect(told(await send(url, 'a', { headers: { authorization } }))).toEqual([200, 'stored']);
    }
    expect(events.map(({ type }) => type)).toEqual(['threw', 'stored', 'stored']);
  });

  it('of one of twenty requests at once runs', async () => {
    const { url, runs } = await listen((_, response) => setTimeout(() => response.end('done'), 50), {
      waitMs: 20_000,
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(url, 'a')));
    expect(new Set(answers.map(({ body }) => body.toString()))).toEqual(new Set(['done']));
    expect(runs()).toBe(1);
  });

  it('of another method is called as it is', async () => {
    const { url, runs } = await listen((_, response) => response.end('list'));
    for (let n = 0; n < 2; n += 1)
      expect((await send(url, 'a', { method: 'GET', body: '' })).status).toBe(200);
    expect(runs()).toBe(2);
  });

  it('has to have a key', async () => {
    const { url } = await listen((_, response) => response.end('no'));
    const missing = await send(url, undefined);
    expect([told(missing), missing.headers['content-type']]).toEqual([
      [400, 'missing-key'],
      'application/problem+json',
    ]);
    expect(told(await send(url, ['a', 'a']))).toEqual([400, 'malformed-key']);
  });
});

describe('A streaming response', () => {
  const slow = (): Readable => {
    const through = new PassThrough();
    through.write('a');
    setTimeout(() => through.end('b'), 50);
    return through;
  };

  /** It begins, and never ends. */
  const open = (): Readable => {
    const through = new PassThrough();
    through.write('a');
    return through;
  };

  it.each<[string, Handler]>([
    ['that does not end in time', (_, response) => open().pipe(response)],
    [
      'of events',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.flushHeaders();
      },
    ],
  ])('%s is refused, once and for all', async (_, handler) => {
    const { url, runs } = await listen(handler, { core: { timeoutMs: 100 } });
    const first = await send(url, 'a');
    expect([told(first), JSON.parse(first.body.toString())]).toMatchObject([
      [500, 'stored'],
      { title: 'The response is a stream' },
    ]);
    expect(told(await send(url, 'a'))).toEqual([500, 'replayed']);
    expect(runs()).toBe(1);
  });

  it('that is refused leaves what middleware in front has set, and nothing of the handler', async () => {
    const cors: Middleware = (_, response, next) => {
      response.setHeader('access-control-allow-origin', '*');
      return next();
    };
    const { url } = await listen(
      (_, response) =>
        open().pipe(
          response.writeHead(201, 'Made', { 'x-of': 'handler', 'content-type': 'text/event-stream' }),
        ),
      { before: [cors] },
    );
    const { status, headers } = await send(url, 'a');
    expect(status).toBe(500);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['x-of']).toBeUndefined();
  });

  it('whose writer waits for drain goes on', async () => {
    const { url } = await listen(
      async (_, response) => {
        if (!response.write('a')) await once(response, 'drain');
        response.end('b');
      },
      { core: { storeResult: false } },
    );
    expect((await send(url, 'a')).body.toString()).toBe('ab');
    expect(told(await send(url, 'a'))).toEqual([410, 'not-kept']);
  });

  it('is buffered where that is chosen, also when the client hangs up', async () => {
    const started = gate();
    const { url, runs } = await listen(async (_, response) => {
      started.open();
      await pipeline(slow(), response).catch(() => undefined);
    });
    await hangUp(url, 'a', started.opened);
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([200, 'replayed']);
    expect((await send(url, 'a')).body.toString()).toBe('ab');
    expect(runs()).toBe(1);
  });

  it('that is too large reaches its client whole, and a retry gets 410', async () => {
    const chunks = Array.from({ length: 30 }, (_, n) => Buffer.alloc(10_000, n));
    const { url, runs } = await listen((_, response) => {
      response.setHeader('location', '/orders/1');
      return pipeline(Readable.from(chunks), response);
    });
    const first = await send(url, 'a');
    expect([told(first), first.body.equals(Buffer.concat(chunks))]).toEqual([[200, 'stored'], true]);
    const retry = await send(url, 'a');
    expect([told(retry), retry.headers.location]).toEqual([[410, 'not-kept'], '/orders/1']);
    expect(runs()).toBe(1);
  });
});
