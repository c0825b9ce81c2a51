import { getRequestListener } from '@hono/node-server';
import { createHandleOnce } from 'handle-once';
import { onceEachRequest, type RequestHandler, type RequestOptions } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import { setCookie } from 'hono/cookie';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gate } from '../../support/gate.ts';
import { hangUp, send, serve, told } from '../support/server.ts';

interface Shop {
  Variables: { user: string };
}

type ShopContext = Context<Shop>;

function onceEach(
  handler: RequestHandler<ShopContext>,
  options: Partial<Omit<RequestOptions<ShopContext>, 'inTransaction'>> = {},
): (c: ShopContext) => Promise<Response> {
  const wrapped = onceEachRequest<ShopContext>(
    {
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'shop', onEvent: () => undefined }),
      route: '/orders',
      principal: (_request, c) => c.get('user'),
      ...options,
    },
    handler,
  );
  return (c) => wrapped(c.req.raw, c);
}

/** An application whose callers are known, behind its server for Node. */
function shop(): Hono<Shop> {
  const app = new Hono<Shop>();
  app.use(async (c, next) => {
    c.set('user', c.req.header('authorization') ?? 'anonymous');
    await next();
  });
  return app;
}

function listen(app: Hono<Shop>): Promise<string> {
  const listener = getRequestListener(app.fetch);
  return serve((request, response) => {
    void listener(request, response);
  });
}

const gzip = { headers: { 'accept-encoding': 'gzip' } };

describe('Hono on its server for Node', () => {
  it('runs the handler once for each caller and key, and its context reads the body', async () => {
    const runs: unknown[] = [];
    const app = shop();
    app.post(
      '/orders',
      onceEach(async (_request, attempt, c) => {
        runs.push(await c.req.json());
        return c.json({ key: attempt.childKey('charge') }, 201, { location: '/orders/1' });
      }),
    );
    const url = await listen(app);
    const first = await send(url, '"a"');
    expect(told(first)).toEqual([201, 'stored']);
    const replay = await send(url, 'a');
    expect([told(replay), replay.body, replay.headers.location, replay.headers['content-type']]).toEqual([
      [201, 'replayed'],
      first.body,
      '/orders/1',
      'application/json',
    ]);
    expect(told(await send(url, 'a', { body: '{}' }))).toEqual([422, 'mismatch']);
    expect(told(await send(url, ['a', 'a']))).toEqual([400, 'malformed-key']);
    expect(told(await send(url, 'a', { headers: { authorization: 'bob' } }))).toEqual([201, 'stored']);
    expect(runs).toEqual([{ cents: 995 }, { cents: 995 }]);
  });

  it('answers an HTTPException of principal, and nothing is recorded', async () => {
    let isExpired = true;
    const app = shop();
    app.post(
      '/orders',
      onceEach((_request, _attempt, c) => c.text('done'), {
        principal: () => {
          if (isExpired) throw new HTTPException(403, { message: 'expired' });
          return 'alice';
        },
      }),
    );
    const url = await listen(app);
    const refused = await send(url, 'a');
    expect([told(refused), refused.body.toString()]).toEqual([[403, undefined], 'expired']);
    isExpired = false;
    expect(told(await send(url, 'a'))).toEqual([200, 'stored']);
  });

  it('answers an HTTPException of the handler, which runs again', async () => {
    let runs = 0;
    const app = shop();
    app.post(
      '/orders',
      onceEach(() => {
        runs += 1;
        throw new HTTPException(422, { message: 'no' });
      }),
    );
    const url = await listen(app);
    for (let n = 0; n < 2; n += 1) {
      const { status, body } = await send(url, 'a');
      expect([status, body.toString()]).toEqual([422, 'no']);
    }
    expect(runs).toBe(2);
  });

  it('compresses in front of it for each client, and CORS headers are those of each request', async () => {
    const app = shop();
    app.use(cors({ origin: (origin) => origin, exposeHeaders: ['Idempotency-Status'] }));
    app.use(compress({ threshold: 0 }));
    app.post(
      '/orders',
      onceEach((_request, _attempt, c) => {
        setCookie(c, 'seen', 'alice');
        return c.json({ text: 'x'.repeat(1_000) });
      }),
    );
    const url = await listen(app);
    const first = await send(url, 'a', { headers: { ...gzip.headers, origin: 'https://one.test' } });
    expect([told(first), first.headers['content-encoding']]).toEqual([[200, 'stored'], 'gzip']);
    expect(first.headers['set-cookie']).toEqual(['seen=alice; Path=/']);
    const plain = await send(url, 'a', { headers: { origin: 'https://two.test' } });
    expect([told(plain), plain.body]).toEqual([[200, 'replayed'], gunzipSync(first.body)]);
    expect(plain.headers).toMatchObject({
      'access-control-allow-origin': 'https://two.test',
      'access-control-expose-headers': 'Idempotency-Status',
    });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['set-cookie']).toBeUndefined();
  });

  it('is told of middleware in front that has read the body', async () => {
    const app = shop();
    const told: string[] = [];
    app.use(async (c, next) => {
      await c.req.raw.text();
      await next();
    });
    app.onError((error, c) => {
      told.push(error.message);
      return c.text('wrong', 500);
    });
    app.post(
      '/orders',
      onceEach(() => expect.unreachable()),
    );
    expect((await send(await listen(app), 'a')).status).toBe(500);
    expect(told).toEqual([expect.stringContaining('put onceEachRequest in front of what reads it')]);
  });

  it('runs a handler to its end whose client hangs up, and gives the retry its answer', async () => {
    const [started, released] = [gate(), gate()];
    let runs = 0;
    const app = shop();
    app.post(
      '/orders',
      onceEach(async (request, attempt, c) => {
        runs += 1;
        started.open();
        await released.opened;
        await expect.poll(() => request.signal.aborted).toBe(true);
        expect(attempt.signal.aborted).toBe(false);
        return c.json(await c.req.json(), 201);
      }),
    );
    const url = await listen(app);
    await hangUp(url, 'a', started.opened);
    released.open();
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([201, 'replayed']);
    expect([runs, (await send(url, 'a')).body.toString()]).toEqual([1, '{"cents":995}']);
  });

  it('refuses a body above its bound, sent in chunks or not', async () => {
    const app = shop();
    app.post(
      '/orders',
      onceEach(() => expect.unreachable(), { maxRequestBytes: 10 }),
    );
    const url = await listen(app);
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const body = 'x'.repeat(100_000);
      expect(told(await send(url, 'a', { headers, body }))).toEqual([413, 'body-too-large']);
    }
  });
});
