import compression from 'compression';
import express5, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import express4 from 'express4';
import session from 'express-session';
import { createHandleOnce, type HandleOnceOptions } from 'handle-once';
import { attemptOf, type HttpOptions, onceEachNodeRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { damagedStore } from '../../support/damaged-store.ts';
import { gate } from '../../support/gate.ts';
import { heldClaims } from '../support/held-store.ts';
import { hangUp, send, serve, told } from '../support/server.ts';

interface User {
  user?: string | undefined;
}

/** As an application would: the token is looked up, and who has none is refused. */
const authenticate: RequestHandler = (request: Request & User, response, next) => {
  const token = request.get('authorization');
  if (token === undefined) {
    response.status(401).json({ error: 'no token' });
    return;
  }
  request.user = token;
  next();
};

const alice = { headers: { authorization: 'alice' } };
const gzip = { headers: { ...alice.headers, 'accept-encoding': 'gzip' } };

class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function onError(answer: (error: unknown, response: Response) => void): ErrorRequestHandler {
  // Express knows it by its four parameters.
  return (error, _request, response, _next) => {
    answer(error, response);
  };
}

const answerErrors = onError((error, response) => {
  const status = error instanceof HttpError ? error.status : 500;
  response.status(status).json({ error: error instanceof Error ? error.message : String(error) });
});

type Options = Partial<HttpOptions<Request & User>> & { readonly core?: Partial<HandleOnceOptions> };

function onceEach({ core, ...options }: Options = {}): RequestHandler {
  return onceEachNodeRequest<Request & User>({
    handleOnce: createHandleOnce({
      store: createMemoryStore(),
      scope: 'shop',
      onEvent: () => undefined,
      ...core,
    }),
    route: '/orders',
    principal: (request) => request.user ?? '',
    ...options,
  });
}

async function fileOf(size: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handle-once-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'receipt.bin');
  await writeFile(path, randomBytes(size));
  return path;
}

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s', (_, express) => {
  function listen(build: (app: Express) => void): Promise<string> {
    const app = express();
    build(app);
    return serve(app);
  }

  it('authenticate, once, express.json(): the handler runs once for each caller and key', async () => {
    const runs: unknown[] = [];
    const url = await listen((app) => {
      app.post('/orders', authenticate, onceEach(), express.json(), (request, response) => {
        runs.push(request.body);
        const key = attemptOf(request)?.childKey('charge');
        response.status(201).location('/orders/1').json({ key });
      });
    });
    const first = await send(url, '"a"', alice);
    expect(told(first)).toEqual([201, 'stored']);
    const replay = await send(url, 'a', alice);
    expect([told(replay), replay.body, replay.headers.location, replay.headers.etag]).toEqual([
      [201, 'replayed'],
      first.body,
      '/orders/1',
      first.headers.etag,
    ]);
    expect(replay.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(told(await send(url, 'a', { ...alice, body: '{}' }))).toEqual([422, 'mismatch']);
    expect(told(await send(url, 'a'))).toEqual([401, undefined]);
    expect(told(await send(url, 'a', { headers: { authorization: 'bob' } }))).toEqual([201, 'stored']);
    expect(runs).toEqual([{ cents: 995 }, { cents: 995 }]);
  });

  it('one of ten requests at once runs, and the others are told to come again', async () => {
    const held = gate();
    const url = await listen((app) => {
      app.post('/orders', authenticate, onceEach(), express.json(), async (_request, response) => {
        await held.opened;
        response.sendStatus(202);
      });
    });
    const all = Array.from({ length: 10 }, () => send(url, 'a', alice));
    let conflicts = 0;
    for (const one of all) void one.then(({ status }) => (conflicts += status === 409 ? 1 : 0));
    await expect.poll(() => conflicts).toBe(9);
    held.open();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('compression in front of it is for each client, and is not stored', async () => {
    const url = await listen((app) => {
      app.use(compression({ threshold: 0 }));
      app.post('/orders', authenticate, onceEach(), (_request, response) => {
        response.json({ text: 'x'.repeat(1_000) });
      });
    });
    const first = await send(url, 'a', gzip);
    expect([told(first), first.headers['content-encoding']]).toEqual([[200, 'stored'], 'gzip']);
    const plain = await send(url, 'a', alice);
    expect([told(plain), plain.headers['content-encoding']]).toEqual([[200, 'replayed'], undefined]);
    expect(gunzipSync(first.body)).toEqual(plain.body);
    const again = await send(url, 'a', gzip);
    expect([told(again), gunzipSync(again.body)]).toEqual([[200, 'replayed'], plain.body]);
    expect(again.headers.vary).toBe('Accept-Encoding');
  });

  it('compression behind it is stored, and sent to those who did not ask for it', async () => {
    const url = await listen((app) => {
      const once = onceEach();
      app.post('/orders', authenticate, once, compression({ threshold: 0 }), (_request, response) => {
        response.json({ text: 'x'.repeat(1_000) });
      });
    });
    const first = await send(url, 'a', gzip);
    const plain = await send(url, 'a', alice);
    expect([told(plain), plain.headers['content-encoding']]).toEqual([[200, 'replayed'], 'gzip']);
    expect(plain.body).toEqual(first.body);
  });

  it('mounted at a path, it still compares the whole URL', async () => {
    const paths: string[] = [];
    const url = await listen((app) => {
      app.use('/api', authenticate, onceEach());
      app.post('/api/orders/:id', (request, response) => {
        paths.push(request.params.id);
        response.send('done');
      });
    });
    expect(told(await send(url, 'a', { ...alice, path: '/api/orders/1' }))).toEqual([200, 'stored']);
    expect(told(await send(url, 'a', { ...alice, path: '/api/orders/2' }))).toEqual([422, 'mismatch']);
    expect(told(await send(url, 'a', { ...alice, path: '/api/orders/1' }))).toEqual([200, 'replayed']);
    expect(paths).toEqual(['1']);
  });

  it('a session in front of it is saved once, and its cookie is not replayed', async () => {
    const url = await listen((app) => {
      app.use(session({ secret: 'test', resave: false, saveUninitialized: false }));
      app.post('/orders', authenticate, onceEach(), (request, response) => {
        const { session: kept } = request as unknown as { session: { count?: number } };
        kept.count = (kept.count ?? 0) + 1;
        response.json({ count: kept.count });
      });
    });
    const first = await send(url, 'a', alice);
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    expect([told(first), first.body.toString()]).toEqual([[200, 'stored'], '{"count":1}']);
    const replay = await send(url, 'a', alice);
    expect([told(replay), replay.headers['set-cookie']]).toEqual([[200, 'replayed'], undefined]);
    const withSession = { headers: { ...alice.headers, cookie: cookie.split(';')[0] ?? '' } };
    expect(told(await send(url, 'a', withSession))).toEqual([200, 'replayed']);
    expect((await send(url, 'b', withSession)).body.toString()).toBe('{"count":2}');
  });

  it('sendFile of a file in one piece is stored', async () => {
    const path = await fileOf(10_000);
    const url = await listen((app) => {
      app.post('/receipts', authenticate, onceEach(), (_request, response) => {
        response.sendFile(path);
      });
    });
    const sent = { ...alice, path: '/receipts' };
    const first = await send(url, 'a', sent);
    const replay = await send(url, 'a', sent);
    expect([told(first), told(replay)]).toEqual([
      [200, 'stored'],
      [200, 'replayed'],
    ]);
    expect([replay.body.equals(first.body), first.body.length]).toEqual([true, 10_000]);
    expect(replay.headers.etag).toBe(first.headers.etag);
  });

  it('sendFile of a file above the limit reaches its client, and is not kept', async () => {
    const path = await fileOf(500_000);
    const url = await listen((app) => {
      app.post('/receipts', authenticate, onceEach(), (_request, response) => {
        response.sendFile(path);
      });
    });
    const sent = { ...alice, path: '/receipts' };
    const first = await send(url, 'a', sent);
    expect([told(first), first.body.length]).toEqual([[200, 'stored'], 500_000]);
    expect(told(await send(url, 'a', sent))).toEqual([410, 'not-kept']);
  });

  it('sendFile to a client that has gone before: its retry gets the file', async () => {
    const path = await fileOf(1_000);
    const [started, gone] = [gate(), gate()];
    let runs = 0;
    const url = await listen((app) => {
      app.post('/receipts', authenticate, onceEach(), async (request, response) => {
        runs += 1;
        request.socket.once('close', gone.open);
        started.open();
        if (request.get('x-impatient') !== undefined) await gone.opened;
        response.sendFile(path);
      });
    });
    const sent = { path: '/receipts', headers: alice.headers };
    const impatient = { ...sent, headers: { ...alice.headers, 'x-impatient': '1' } };
    await hangUp(url, 'a', started.opened, impatient);
    await expect.poll(async () => told(await send(url, 'a', sent))).toEqual([200, 'replayed']);
    expect((await send(url, 'a', sent)).body.length).toBe(1_000);
    expect(runs).toBe(1);
  });

  it('a client is answered at the timeout, and its retry with what the handler answers later', async () => {
    const released = gate();
    let runs = 0;
    const url = await listen((app) => {
      const once = onceEach({ core: { timeoutMs: 300 } });
      app.post('/orders', authenticate, once, express.json(), async (request, response) => {
        runs += 1;
        await released.opened;
        response
          .status(201)
          .location('/orders/1')
          .json({ id: 1, sent: request.body as unknown });
      });
    });
    expect(told(await send(url, 'a', alice))).toEqual([503, 'timed-out']);
    expect(told(await send(url, 'a', alice))).toEqual([409, 'in-flight']);
    released.open();
    await expect.poll(async () => told(await send(url, 'a', alice))).toEqual([201, 'replayed']);
    const { headers, body } = await send(url, 'a', alice);
    expect([headers.location, headers['content-type'], body.toString()]).toEqual([
      '/orders/1',
      'application/json; charset=utf-8',
      '{"id":1,"sent":{"cents":995}}',
    ]);
    expect(runs).toBe(1);
  });

  it('what principal throws reaches the error handler, and the request does not reach its own', async () => {
    let refusal: unknown = new HttpError(403, 'expired');
    let runs = 0;
    const url = await listen((app) => {
      const once = onceEach({
        principal: () => {
          if (refusal !== 'none') throw refusal;
          return 'alice';
        },
      });
      app.post('/orders', once, (_request, response) => {
        runs += 1;
        response.send('done');
      });
      app.use(answerErrors);
    });
    const refused = await send(url, 'a');
    expect([told(refused), refused.body.toString()]).toEqual([[403, undefined], '{"error":"expired"}']);
    for (refusal of [undefined, null, '', 'route', 'router']) {
      expect((await send(url, 'a')).status).toBe(500);
    }
    expect(runs).toBe(0);
    refusal = 'none';
    expect(told(await send(url, 'a'))).toEqual([200, 'stored']);
  });

  it.each([
    [422, 'stored', 'replayed', 1],
    [503, 'released', 'released', 2],
  ])('what an error handler answers is the answer: %i is %s', async (status, first, second, runs) => {
    let ran = 0;
    const url = await listen((app) => {
      app.post('/orders', authenticate, onceEach(), express.json(), (_request, _response, next) => {
        ran += 1;
        next(new HttpError(status, 'no'));
      });
      app.use(answerErrors);
    });
    for (const idempotencyStatus of [first, second]) {
      const response = await send(url, 'a', alice);
      expect([told(response), response.body.toString()]).toEqual([
        [status, idempotencyStatus],
        '{"error":"no"}',
      ]);
    }
    expect(ran).toBe(runs);
  });

  it('an error that nothing handles is answered 500 by Express, and runs again', async () => {
    let runs = 0;
    const url = await listen((app) => {
      app.set('env', 'test');
      app.post('/orders', authenticate, onceEach(), () => {
        runs += 1;
        throw new Error('boom');
      });
    });
    for (let n = 0; n < 2; n += 1) expect(told(await send(url, 'a', alice))).toEqual([500, 'released']);
    expect(runs).toBe(2);
  });

  it('a malformed body is answered 400 by the parser, and a retry gets that too', async () => {
    const url = await listen((app) => {
      app.post('/orders', authenticate, onceEach(), express.json(), (_request, response) => {
        response.send('no');
      });
      app.use(
        onError((error, response) => {
          response.status((error as { status: number }).status).send('malformed');
        }),
      );
    });
    for (const status of ['stored', 'replayed']) {
      expect(told(await send(url, 'a', { ...alice, body: '{' }))).toEqual([400, status]);
    }
  });

  it('express.json() in front of it is refused, unless it keeps the bytes', async () => {
    const url = await listen((app) => {
      const keep = express.json({
        verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
      });
      const done: RequestHandler = (_request, response) => {
        response.send('done');
      };
      app.post('/orders', authenticate, keep, onceEach(), done);
      app.post('/lost', authenticate, express.json(), onceEach(), done);
      app.use(answerErrors);
    });
    expect(told(await send(url, 'a', alice))).toEqual([200, 'stored']);
    expect(told(await send(url, 'a', { ...alice, body: '{}' }))).toEqual([422, 'mismatch']);
    const lost = await send(url, 'a', { ...alice, path: '/lost' });
    expect([lost.status, lost.body.toString()]).toEqual([
      500,
      expect.stringContaining('in front of body parsers'),
    ]);
  });

  it.each([
    { status: 20, headers: [], text: 'done' },
    { status: 201, headers: [['location', '/orders/\n1']], text: 'done' },
    { status: 201, headers: ['location'], text: 'done' },
    { status: 201, headers: [], text: 5 },
  ])('a record that was damaged to %j is answered 500, and the process goes on', async (damaged) => {
    let runs = 0;
    const url = await listen((app) => {
      const once = onceEach({ core: { store: damagedStore(JSON.stringify(damaged)) } });
      app.post('/orders', authenticate, once, (_request, response) => {
        runs += 1;
        response.status(201).json({ id: 1 });
      });
    });
    expect(told(await send(url, 'a', alice))).toEqual([201, 'stored']);
    for (let n = 0; n < 2; n += 1) expect(told(await send(url, 'a', alice))).toEqual([500, 'error']);
    expect(runs).toBe(1);
  });

  it('a client that hangs up during the claim: no handler runs with a body that no parser can read', async () => {
    const gone = gate();
    const { store, claiming } = heldClaims(gone.opened);
    const bodies: unknown[] = [];
    const refusals: unknown[] = [];
    const url = await listen((app) => {
      const watch: RequestHandler = (request, _response, next) => {
        request.socket.once('close', gone.open);
        next();
      };
      const once = onceEach({ core: { store } });
      app.post('/orders', watch, authenticate, once, express.json(), (request, response) => {
        bodies.push(request.body);
        response.status(201).json({ id: 1 });
      });
      app.use(
        onError((error, response) => {
          refusals.push(error);
          response.end();
        }),
      );
    });
    await hangUp(url, 'a', claiming.opened, alice);
    await expect
      .poll(() => refusals)
      .toMatchObject([{ message: expect.stringMatching(/hung up/) as string }]);
    expect(told(await send(url, 'a', alice))).toEqual([201, 'stored']);
    expect(bodies).toEqual([{ cents: 995 }]);
  });

  it('a client that hangs up leaves its handler running, and its retry gets the answer', async () => {
    const [started, released] = [gate(), gate()];
    let runs = 0;
    const url = await listen((app) => {
      app.post('/orders', authenticate, onceEach(), express.json(), async (_request, response) => {
        runs += 1;
        started.open();
        await released.opened;
        response.status(201).json({ id: 1 });
      });
    });
    await hangUp(url, 'a', started.opened, alice);
    released.open();
    await expect.poll(async () => told(await send(url, 'a', alice))).toEqual([201, 'replayed']);
    expect(runs).toBe(1);
  });
});
