import compress from '@fastify/compress';
import middie from '@fastify/middie';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createHandleOnce } from 'handle-once';
import { attemptOf, type HttpOptions, type OnceEachNodeRequest, onceEachNodeRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gate } from '../../support/gate.ts';
import { hangUp, send, told } from '../support/server.ts';

function onceEach(options: Partial<HttpOptions<IncomingMessage>> = {}): OnceEachNodeRequest {
  return onceEachNodeRequest({
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'shop', onEvent: () => undefined }),
    route: '/orders',
    principal: (request) => request.headers.authorization ?? '',
    ...options,
  });
}

/** The middleware as a hook, as docs/http.md has it: Fastify sends what hooks have set on the reply only later. */
function hookOf(once: OnceEachNodeRequest) {
  return {
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      reply.raw.setHeaders(new Map(Object.entries(reply.getHeaders()) as [string, string][]));
      void once(request.raw, reply.raw, done as (error?: unknown) => void);
    },
  };
}

interface Served {
  readonly url: string;
  /** What Fastify warns of, such as a reply that is sent twice. */
  readonly warnings: string[];
}

async function listen(build: (app: FastifyInstance) => unknown): Promise<Served> {
  const warnings: string[] = [];
  const app = fastify({
    logger: { level: 'warn', stream: { write: (line: string) => warnings.push(line) } },
  });
  onTestFinished(() => app.close());
  await build(app);
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), warnings };
}

const alice = { headers: { authorization: 'alice' } };
const gzip = { headers: { ...alice.headers, 'accept-encoding': 'gzip' } };

describe('Fastify, by an onRequest hook', () => {
  it('runs the handler once for each caller and key, with the body that Fastify parsed', async () => {
    const runs: unknown[] = [];
    const { url, warnings } = await listen((app) =>
      app.post('/orders', hookOf(onceEach()), (request, reply) => {
        runs.push(request.body);
        return reply
          .code(201)
          .header('location', '/orders/1')
          .send({ key: attemptOf(request.raw)?.childKey('charge') });
      }),
    );
    const first = await send(url, '"a"', alice);
    expect(told(first)).toEqual([201, 'stored']);
    const replay = await send(url, 'a', alice);
    expect([told(replay), replay.body, replay.headers.location, replay.headers['content-type']]).toEqual([
      [201, 'replayed'],
      first.body,
      '/orders/1',
      first.headers['content-type'],
    ]);
    expect(told(await send(url, 'a', { ...alice, body: '{}' }))).toEqual([422, 'mismatch']);
    expect(told(await send(url, 'a'))).toEqual([401, 'no-principal']);
    expect(told(await send(url, 'a', { headers: { authorization: 'bob' } }))).toEqual([201, 'stored']);
    expect(runs).toEqual([{ cents: 995 }, { cents: 995 }]);
    expect(warnings).toEqual([]);
  });

  it('gives each answer the headers that an earlier hook has set, such as those of CORS', async () => {
    const { url } = await listen((app) => {
      app.addHook('onRequest', (_, reply, done) => {
        reply.header('access-control-allow-origin', '*');
        done();
      });
      app.post('/orders', hookOf(onceEach()), () => ({ id: 1 }));
    });
    const answers = [
      await send(url, 'a', alice),
      await send(url, 'a', alice),
      await send(url, 'a', { ...alice, body: '{}' }),
      await send(url, 'a'),
    ];
    expect(answers.map((answer) => [...told(answer), answer.headers['access-control-allow-origin']])).toEqual(
      [
        [200, 'stored', '*'],
        [200, 'replayed', '*'],
        [422, 'mismatch', '*'],
        [401, 'no-principal', '*'],
      ],
    );
  });

  it('stores what a schema refuses, and releases what is thrown', async () => {
    let runs = 0;
    const { url } = await listen((app) => {
      const schema = { body: { type: 'object', required: ['cents'] } };
      app.post('/orders', { ...hookOf(onceEach()), schema }, () => {
        runs += 1;
        throw new Error('boom');
      });
    });
    for (const status of ['stored', 'replayed']) {
      expect(told(await send(url, 'a', { ...alice, body: '{}' }))).toEqual([400, status]);
    }
    for (let n = 0; n < 2; n += 1) expect(told(await send(url, 'b', alice))).toEqual([500, 'released']);
    expect(runs).toBe(2);
  });

  it('gives what principal throws to the error handler', async () => {
    const { url } = await listen((app) => {
      const principal = (): string => {
        throw Object.assign(new Error('expired'), { statusCode: 403 });
      };
      app.post('/orders', hookOf(onceEach({ principal })), () => expect.unreachable());
    });
    const { status, headers, body } = await send(url, 'a');
    expect([status, headers['idempotency-status']]).toEqual([403, undefined]);
    expect(JSON.parse(body.toString())).toMatchObject({ message: 'expired' });
  });

  it('stores an answer before compression where the route has none', async () => {
    const { url } = await listen(async (app) => {
      await app.register(compress, { threshold: 0 });
      const route = { ...hookOf(onceEach()), compress: false } as const;
      app.post('/orders', route, () => ({ text: 'x'.repeat(5_000) }));
    });
    const first = await send(url, 'a', gzip);
    expect([told(first), first.headers['content-encoding']]).toEqual([[200, 'stored'], undefined]);
    const replay = await send(url, 'a', gzip);
    expect([told(replay), replay.body]).toEqual([[200, 'replayed'], first.body]);
  });

  it('stores compressed bytes behind @fastify/compress, which are a stream', async () => {
    const { url } = await listen(async (app) => {
      await app.register(compress, { threshold: 0 });
      app.post('/orders', hookOf(onceEach()), () => ({ text: 'x'.repeat(5_000) }));
    });
    const first = await send(url, 'a', gzip);
    const plain = await send(url, 'a', alice);
    expect([told(plain), plain.headers['content-encoding']]).toEqual([[200, 'replayed'], 'gzip']);
    expect(plain.body).toEqual(first.body);
    expect(JSON.parse(gunzipSync(plain.body).toString())).toMatchObject({ text: /^x+$/ });
  });

  it('waits for a stream, and refuses one of events', async () => {
    const open = (): Readable => new Readable({ read: () => undefined });
    const slow = async function* (): AsyncGenerator<string> {
      yield 'a';
      await new Promise((resolve) => setTimeout(resolve, 20));
      yield 'b';
    };
    const { url } = await listen((app) => {
      app.post('/open', hookOf(onceEach()), (_request, reply) => {
        const stream = open();
        stream.push('a');
        return reply.type('text/event-stream').send(stream);
      });
      app.post('/slow', hookOf(onceEach()), (_request, reply) => reply.send(Readable.from(slow())));
    });
    for (const status of ['stored', 'replayed']) {
      expect(told(await send(url, 'a', { ...alice, path: '/open' }))).toEqual([500, status]);
      const { body } = await send(url, 'a', { ...alice, path: '/slow' });
      expect(body.toString()).toBe('ab');
    }
  });

  it('runs a handler to its end whose client hangs up, and gives the retry its answer', async () => {
    const [started, released] = [gate(), gate()];
    let runs = 0;
    const { url } = await listen((app) => {
      app.post('/orders', hookOf(onceEach()), async (_request, reply) => {
        runs += 1;
        started.open();
        await released.opened;
        return reply.code(201).send({ id: 1 });
      });
    });
    await hangUp(url, 'a', started.opened, alice);
    released.open();
    await expect.poll(async () => told(await send(url, 'a', alice))).toEqual([201, 'replayed']);
    expect(runs).toBe(1);
  });

  it('answers a client at the timeout, and its retry with what the handler answers later', async () => {
    const released = gate();
    let runs = 0;
    const { url } = await listen((app) => {
      const handleOnce = createHandleOnce({
        store: createMemoryStore(),
        scope: 'shop',
        timeoutMs: 300,
        onEvent: () => undefined,
      });
      app.post('/orders', hookOf(onceEach({ handleOnce })), async (_request, reply) => {
        runs += 1;
        await released.opened;
        return reply.code(201).header('location', '/orders/1').send({ id: 1 });
      });
    });
    expect(told(await send(url, 'a', alice))).toEqual([503, 'timed-out']);
    released.open();
    await expect.poll(async () => told(await send(url, 'a', alice))).toEqual([201, 'replayed']);
    const { headers, body } = await send(url, 'a', alice);
    expect([headers.location, body.toString(), runs]).toEqual(['/orders/1', '{"id":1}', 1]);
  });

  it('sends a stream whole whose client has hung up before, and gives the retry that', async () => {
    const [started, gone] = [gate(), gate()];
    let runs = 0;
    const { url } = await listen((app) => {
      app.post('/orders', hookOf(onceEach()), async (request, reply) => {
        runs += 1;
        request.raw.socket.once('close', gone.open);
        started.open();
        await gone.opened;
        return await reply.send(Readable.from(['a', 'b']));
      });
    });
    await hangUp(url, 'a', started.opened, alice);
    await expect.poll(async () => told(await send(url, 'a', alice))).toEqual([200, 'replayed']);
    expect((await send(url, 'a', alice)).body.toString()).toBe('ab');
    expect(runs).toBe(1);
  });
});

describe('inject(), by which applications test their routes', () => {
  it.each<[what: string, path: string, payload: object | undefined]>([
    ['with a body', '/orders', { cents: 995 }],
    ['without one', '/orders', undefined],
    ['of a stream that is refused', '/open', { cents: 995 }],
  ])('%s', async (_, path, payload) => {
    const app = fastify();
    onTestFinished(() => app.close());
    app.post('/orders', hookOf(onceEach()), (request) => ({ body: request.body ?? null }));
    app.post('/open', hookOf(onceEach()), (_request, reply) => {
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('a');
    });
    const headers = { authorization: 'alice', 'idempotency-key': 'a' };
    const sent = {
      method: 'POST',
      url: path,
      headers,
      ...(payload === undefined ? {} : { payload }),
    } as const;
    const first = await app.inject(sent);
    expect(first.headers['idempotency-status']).toBe('stored');
    if (path === '/orders') expect(first.json()).toEqual({ body: payload ?? null });
    const replay = await app.inject(sent);
    expect([replay.headers['idempotency-status'], replay.body]).toEqual(['replayed', first.body]);
    const other = await app.inject({ ...sent, payload: { cents: 1 } });
    expect([other.statusCode, other.headers['idempotency-status']]).toEqual([422, 'mismatch']);
  });
});

describe('Fastify, by @fastify/middie', () => {
  it('runs the handler once, and compares the whole URL', async () => {
    let runs = 0;
    const { url } = await listen(async (app) => {
      await app.register(middie);
      const once = onceEach();
      app.use('/orders', (request, response, next) => {
        void once(request, response, next);
      });
      app.post('/orders/:id', (request) => {
        runs += 1;
        return { body: request.body };
      });
    });
    const first = await send(url, 'a', { ...alice, path: '/orders/1' });
    expect([told(first), first.body.toString()]).toEqual([[200, 'stored'], '{"body":{"cents":995}}']);
    expect(told(await send(url, 'a', { ...alice, path: '/orders/1' }))).toEqual([200, 'replayed']);
    expect(told(await send(url, 'a', { ...alice, path: '/orders/2' }))).toEqual([422, 'mismatch']);
    expect(runs).toBe(1);
  });
});
