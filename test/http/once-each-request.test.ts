import { createHandleOnce, InvalidOptionsError, RetryableError, TerminalError } from 'handle-once';
import { onceEachRequest } from 'handle-once/http';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it, test } from 'vitest';
import { flakyStore, isUnreachable } from '../engine/support/flaky-store.ts';
import { gate } from '../support/gate.ts';
import { bench, created, post, seen, statusOf } from './support/bench.ts';

describe('A replay', () => {
  it.each<[what: string, make: () => Response]>([
    ['text', () => new Response('größe')],
    ['JSON', () => Response.json({ id: 1 }, { status: 201 })],
    ['bytes', () => new Response(new Uint8Array([0, 255, 254, 0, 128]))],
    ['text with a byte order mark', () => new Response('\ufeff{}')],
    ['nothing', () => new Response(null, { status: 204 })],
    ['an empty 200', () => new Response('')],
    ['a Blob', () => new Response(new Blob(['a', 'b'], { type: 'text/csv' }))],
    ['a redirect', () => Response.redirect('http://api.test/orders/1', 303)],
    [
      'compressed bytes',
      () => new Response(new Uint8Array([31, 139]), { headers: { 'content-encoding': 'gzip' } }),
    ],
  ])('of %s is the same byte for byte', async (_, make) => {
    const { send, runs } = bench({ handler: make });
    const first = await send(post('a'));
    expect(statusOf(first)).toBe('stored');
    const replay = await send(post('a'));
    expect(statusOf(replay)).toBe('replayed');
    expect(await seen(replay)).toEqual(await seen(first));
    expect(runs).toHaveLength(1);
  });

  it('has the headers that are kept, and never what gives access', async () => {
    const headers = {
      'content-type': 'text/plain',
      location: '/orders/1',
      etag: '"1"',
      'x-request-id': 'r-1',
      'set-cookie': 'session=secret',
      authorization: 'Bearer secret',
      'www-authenticate': 'Basic',
    };
    const settled: string[] = [];
    const memory = createMemoryStore();
    const store: Store = {
      ...memory,
      settle(requests, scope) {
        settled.push(JSON.stringify(requests));
        return memory.settle(requests, scope);
      },
    };
    const { send } = bench({ store, handler: () => new Response('ok', { headers }) });
    const first = await send(post('a'));
    expect(Object.fromEntries(first.headers)).toMatchObject(headers);
    const replay = await send(post('a'));
    expect(Object.fromEntries(replay.headers)).toEqual({
      'content-type': 'text/plain',
      location: '/orders/1',
      etag: '"1"',
      'idempotency-status': 'replayed',
    });
    expect(settled).toEqual([expect.stringContaining('/orders/1')]);
    expect(settled[0]).not.toContain('secret');
  });

  it('has the headers that are chosen in place of the default ones', async () => {
    const handler = () =>
      new Response('ok', {
        headers: { 'X-Request-Id': 'r-1', location: '/orders/1', 'content-type': 'a/b' },
      });
    const { send } = bench({ handler, keptHeaders: ['X-Request-ID'] });
    await send(post('a'));
    const replay = await send(post('a'));
    expect(Object.fromEntries(replay.headers)).toEqual({
      'content-type': 'a/b',
      'x-request-id': 'r-1',
      'idempotency-status': 'replayed',
    });
  });

  it('is the same key’s, in quotes or not', async () => {
    const { send, runs } = bench();
    await send(post('"a"'));
    expect(statusOf(await send(post('a')))).toBe('replayed');
    expect(runs).toHaveLength(1);
  });
});

describe('What is not stored', () => {
  it.each([401, 403, 408, 409, 425, 429, 500, 502, 503, 504, 599])(
    'an answer with %i is released at once, and its retry runs',
    async (status) => {
      const { send, runs } = bench({
        handler: () => new Response('no', { status }),
        core: { maxAttempts: 1 },
      });
      for (let n = 1; n <= 3; n += 1) {
        const response = await send(post('a'));
        expect([response.status, statusOf(response), await response.text()]).toEqual([
          status,
          'released',
          'no',
        ]);
        expect(runs.map(({ attempt }) => attempt.number)).toHaveLength(n);
      }
    },
  );

  it.each([400, 402, 404, 405, 406, 410, 411, 412, 413, 414, 415, 418, 422, 428, 431, 451])(
    'is not an answer with %i: that is stored',
    async (status) => {
      const { send, runs } = bench({ handler: () => new Response('no', { status }) });
      await send(post('a'));
      expect([(await send(post('a'))).status, runs.length]).toEqual([status, 1]);
    },
  );

  it('an error is thrown on, and its retry runs at once, however often', async () => {
    const errors = Array.from({ length: 20 }, (_, n) => new Error(`no ${n}`));
    const { send, events } = bench({
      core: { maxAttempts: 3 },
      handler: () => {
        const error = errors.shift();
        if (error !== undefined) throw error;
        return created();
      },
    });
    for (let n = 0; n < 20; n += 1) await expect(send(post('a'))).rejects.toThrow(`no ${n}`);
    expect((await send(post('a'))).status).toBe(201);
    expect(events[0]).toMatchObject({ type: 'released', status: undefined, error: { message: 'no 0' } });
    expect(events.at(-1)).toMatchObject({ type: 'stored', status: 201 });
  });

  it('what is thrown need not be an error', async () => {
    const thrown: unknown[] = ['text', undefined, null, { status: 503 }];
    const { send } = bench({
      handler: () => {
        throw thrown[0];
      },
    });
    while (thrown.length > 0) {
      await expect(send(post('a'))).rejects.toBe(thrown[0]);
      thrown.shift();
    }
  });

  it('a RetryableError says how long retries have to wait', async () => {
    const store = createMemoryStore();
    const answers: (Error | Response)[] = [new RetryableError('busy', { retryAfterMs: 90_000 }), created()];
    const { send, runs } = bench({
      store,
      handler: () => {
        const next = answers.shift();
        if (next instanceof Response) return next;
        throw next as Error;
      },
    });
    await expect(send(post('a'))).rejects.toThrow('busy');
    const early = await send(post('a'));
    expect([early.status, runs.length]).toEqual([503, 1]);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(1);
    store.advance(90_000);
    expect((await send(post('a'))).status).toBe(201);
  });

  it('a TerminalError ends the request for good', async () => {
    const { send, runs, events } = bench({
      handler: () => {
        throw new TerminalError('blocked');
      },
    });
    await expect(send(post('a'))).rejects.toThrow('blocked');
    const retry = await send(post('a'));
    expect([retry.status, statusOf(retry)]).toEqual([500, 'failed']);
    expect(await retry.text()).not.toContain('blocked');
    expect(runs).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['failed', 'failed']);
  });

  it.each<[unknown, string]>([
    ['text', 'string'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ status: 200 }, 'object'],
    [{ status: 200, headers: {} }, 'object'],
    [{ headers: new Headers() }, 'object'],
  ])('%j, which is no Response, is a fault of the handler, and runs again', async (returned, kind) => {
    const { send, runs } = bench({ handler: () => returned as never });
    const refused = `onceEachRequest: handler: must return a Response, got ${kind}`;
    await expect(send(post('a'))).rejects.toThrow(refused);
    await expect(send(post('a'))).rejects.toThrow(refused);
    expect(runs).toHaveLength(2);
  });

  it('Response.error() is passed on', async () => {
    const { send } = bench({ handler: () => Response.error() });
    expect((await send(post('a'))).type).toBe('error');
    expect((await send(post('a'))).type).toBe('error');
  });
});

describe('A body that cannot be kept', () => {
  const large = 'x'.repeat(100_000);

  it('reaches its client whole, and a retry gets 410 and the location', async () => {
    const { send, runs } = bench({
      handler: () => new Response(large, { status: 201, headers: { location: '/orders/1' } }),
    });
    const first = await send(post('a'));
    expect([first.status, await first.text()]).toEqual([201, large]);
    const retry = await send(post('a'));
    expect([retry.status, statusOf(retry), retry.headers.get('location')]).toEqual([
      410,
      'not-kept',
      '/orders/1',
    ]);
    expect(await retry.json()).toMatchObject({ status: 410, title: 'The response was not kept' });
    expect(runs).toHaveLength(1);
  });

  it('is kept where maxResultBytes has room for it', async () => {
    const { send } = bench({ core: { maxResultBytes: 200_000 }, handler: () => new Response(large) });
    await send(post('a'));
    expect(await (await send(post('a'))).text()).toBe(large);
  });

  it('is any body where results are not stored', async () => {
    const { send, runs } = bench({ core: { storeResult: false } });
    expect(await (await send(post('a'))).json()).toEqual({ id: 'order-1' });
    expect((await send(post('a'))).status).toBe(410);
    expect(runs).toHaveLength(1);
  });
});

describe('A request', () => {
  it('of another method passes, with or without a key', async () => {
    const { send, runs, events } = bench({ handler: () => new Response('list') });
    for (const key of ['a', undefined]) {
      const response = await send(post(key, { method: 'GET' }));
      expect([await response.text(), statusOf(response)]).toEqual(['list', null]);
    }
    expect(runs).toHaveLength(2);
    expect(events).toEqual([]);
  });

  it('without a key passes where that is optional, and its child keys are its own', async () => {
    const { send, runs, events } = bench({ required: false });
    expect((await send(post(undefined))).status).toBe(201);
    expect((await send(post(undefined))).status).toBe(201);
    const [one, other] = runs.map(({ attempt }) => attempt);
    expect(one?.requestKey).toBeUndefined();
    expect(one?.childKey('charge')).toBe(one?.childKey('charge'));
    expect(one?.childKey('charge')).not.toBe(other?.childKey('charge'));
    expect(() => one?.childKey('')).toThrow('must not be empty');
    expect(one?.signal.aborted).toBe(false);
    expect(events.map(({ type }) => type)).toEqual(['passed', 'passed']);
  });

  it('gets its attempt, with the key that the client sent', async () => {
    const { send, runs } = bench();
    await send(post('"order 42"'));
    const { attempt } = runs[0] ?? {};
    expect(attempt).toMatchObject({ requestKey: 'order 42', key: '-:order 42', number: 1 });
    expect(attempt?.childKey('charge')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the object that the server made, its body unread', async () => {
    const request = post('a', { body: 'payload' });
    const { send } = bench({
      handler: async (given) => {
        expect(given).toBe(request);
        return new Response(await given.text());
      },
    });
    expect(await (await send(request)).text()).toBe('payload');
  });

  it('above maxRequestBytes is answered 413, with and without Content-Length', async () => {
    const { send, runs } = bench({ maxRequestBytes: 10 });
    expect((await send(post('a', { body: '0123456789' }))).status).toBe(201);
    const declared = post('b', { body: '0123456789+', headers: { 'content-length': '11' } });
    for (const request of [declared, post('c', { body: '0123456789+' })]) {
      const response = await send(request);
      expect([response.status, statusOf(response)]).toEqual([413, 'body-too-large']);
    }
    expect(runs).toHaveLength(1);
  });

  it('whose body was read before is a fault of the code', async () => {
    const { send, runs } = bench();
    const request = post('a');
    await request.text();
    await expect(send(request)).rejects.toThrow(InvalidOptionsError);
    await expect(send(request)).rejects.toThrow(/put onceEachRequest in front of what reads it/);
    expect(runs).toEqual([]);
  });

  it('whose body breaks off is thrown on, and nothing is claimed', async () => {
    const { send, runs, events } = bench();
    const body = new ReadableStream({
      pull() {
        throw new Error('the client hung up');
      },
    });
    const init = { method: 'POST', headers: { 'idempotency-key': 'a' }, body, duplex: 'half' } as const;
    await expect(send(new Request('http://api.test/orders', init))).rejects.toThrow('the client hung up');
    expect(runs).toEqual([]);
    expect(events).toMatchObject([{ type: 'threw', key: undefined }]);
  });

  it('in flight is waited for, or answered 202', async () => {
    const held = gate();
    const handler = () => held.opened.then(created);
    const { send, runs, store } = bench({ handler, waitMs: 20_000 });
    const accepting = bench({ store, inFlightStatus: 202, retryAfterSeconds: 5 });
    const first = send(post('a'));
    await expect.poll(() => runs.length).toBe(1);
    const patient = send(post('a'));
    const accepted = await accepting.send(post('a'));
    expect([accepted.status, accepted.headers.get('retry-after')]).toEqual([202, '5']);
    expect(accepted.headers.get('content-type')).toBe('application/json');
    held.open();
    expect([statusOf(await first), statusOf(await patient)]).toEqual(['stored', 'replayed']);
  });

  it('is answered 503 while the store is down', async () => {
    const store = flakyStore(createMemoryStore(), { claim: isUnreachable });
    const { send, runs, events } = bench({ store });
    const response = await send(post('a'));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(runs).toEqual([]);
    expect(events).toMatchObject([{ type: 'store-error', status: 503, error: { code: 'STORE' } }]);
  });

  it('whose end could not be recorded still has its answer', async () => {
    const store = flakyStore(createMemoryStore(), { settle: isUnreachable });
    const { send } = bench({ store, core: { leaseMs: 1_000 } });
    const response = await send(post('a'));
    expect([response.status, statusOf(response)]).toEqual([201, 'unrecorded']);
  });

  it('has one event, without its body', async () => {
    const { send, events } = bench();
    await send(post('a', { body: '{"secret":1234}' }));
    await send(post('a', { body: '{"secret":1234}' }));
    const seenOf = { scope: 'api>http:POST%20%2Forders', key: '-:a', status: 201 };
    expect(events).toEqual([
      { type: 'stored', ...seenOf },
      { type: 'replayed', ...seenOf },
    ]);
    expect(send.counts()).toEqual({ stored: 1, replayed: 1 });
  });
});

describe('The caller', () => {
  it('is asked for with the request and its context, and may be found later', async () => {
    const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'api' });
    const send = onceEachRequest(
      {
        handleOnce,
        route: '/orders',
        principal: (request: Request, { user }: { user: string }) =>
          Promise.resolve([request.headers.get('x-tenant') ?? '', user]),
      },
      (_request: Request, attempt, { user }: { user: string }) => new Response(`${user} ${attempt.number}`),
    );
    const headers = { 'x-tenant': 'acme' };
    expect(await (await send(post('a', { headers }), { user: 'alice' })).text()).toBe('alice 1');
    expect(await (await send(post('a', { headers }), { user: 'bob' })).text()).toBe('bob 1');
    expect(statusOf(await send(post('a', { headers }), { user: 'bob' }))).toBe('replayed');
  });

  it.each([undefined, null, '', []])('that is %j is answered 401, and nothing is claimed', async (caller) => {
    const { send, runs, events } = bench({ principal: () => caller as never });
    expect((await send(post('a'))).status).toBe(401);
    expect(runs).toEqual([]);
    expect(events).toMatchObject([{ type: 'no-principal', key: undefined }]);
  });

  it('what the function throws is thrown on', async () => {
    const { send, events } = bench({
      principal: () => {
        throw new Error('expired');
      },
    });
    await expect(send(post('a'))).rejects.toThrow('expired');
    expect(events).toMatchObject([{ type: 'threw', error: { message: 'expired' } }]);
  });

  it('that is a number is a fault of the code', async () => {
    const { send } = bench({ principal: () => 7 as never });
    await expect(send(post('a'))).rejects.toThrow(InvalidOptionsError);
  });
});

describe('What is compared', () => {
  const multipart = (boundary: string, name: string): Parameters<typeof post>[1] => ({
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n1\r\n--${boundary}--\r\n`,
  });

  it('is chosen by a function, for bodies whose boundaries change', async () => {
    const { send } = bench({
      fingerprint: (body, request) => {
        const boundary = /boundary=(.*)$/.exec(request.headers.get('content-type') ?? '')?.[1] ?? '';
        return body.toString().replaceAll(boundary, '');
      },
    });
    await send(post('a', multipart('x1', 'cents')));
    expect(statusOf(await send(post('a', multipart('y2', 'cents'))))).toBe('replayed');
    expect((await send(post('a', multipart('z3', 'other')))).status).toBe(422);
  });

  it('has the path and the query in it, whatever of the body is chosen', async () => {
    const { send } = bench({ route: '/orders/:id/capture', fingerprint: () => 'same' });
    await send(post('a', { path: '/orders/1/capture?view=one' }));
    expect((await send(post('a', { path: '/orders/2/capture?view=one' }))).status).toBe(422);
    expect((await send(post('a', { path: '/orders/1/capture?view=two' }))).status).toBe(422);
  });

  it('is nothing with false', async () => {
    const core = { fingerprint: () => expect.unreachable() };
    const { send } = bench({ core, fingerprint: false });
    await send(post('a', { path: '/orders?at=1' }));
    expect(statusOf(await send(post('a', { path: '/orders?at=2', body: 'other' })))).toBe('replayed');
  });

  it('is what createHandleOnce says, unless the adapter says otherwise', async () => {
    const core = { ignoredFields: ['/sentAt'] };
    const sent = (sentAt: number) => post('a', { body: JSON.stringify({ cents: 1, sentAt }) });
    const inherited = bench({ core });
    await inherited.send(sent(1));
    expect(statusOf(await inherited.send(sent(2)))).toBe('replayed');
    const own = bench({ core, ignoredFields: [] });
    await own.send(sent(1));
    expect((await own.send(sent(2))).status).toBe(422);
  });

  it.each<[what: string, fingerprint: () => unknown, status: number]>([
    ['throws', () => JSON.parse('{') as unknown, 500],
    ['returns nothing', () => undefined, 400],
    ['returns a promise', () => Promise.resolve('a'), 500],
  ])('a function that %s: nothing runs', async (_, fingerprint, status) => {
    const { send, runs } = bench({ fingerprint });
    expect((await send(post('a'))).status).toBe(status);
    expect(runs).toEqual([]);
  });

  it('is at fault itself until its function has worked once, and then the body is', async () => {
    const { send, runs, events } = bench({ fingerprint: (body) => JSON.parse(body.toString()) as unknown });
    expect(statusOf(await send(post('a', { body: '{' })))).toBe('error');
    expect(events).toMatchObject([
      {
        type: 'error',
        status: 500,
        error: {
          message: expect.stringMatching(/fingerprint: threw .*not worked yet.*are answered 500/) as string,
        },
      },
    ]);
    await send(post('a'));
    const refused = await send(post('b', { body: '{' }));
    expect([refused.status, statusOf(refused), runs.length]).toEqual([400, 'invalid-key', 1]);
  });

  it('has a function of createHandleOnce on trial too', async () => {
    const broken = () => JSON.parse('{') as unknown;
    const { send, runs } = bench({ core: { fingerprint: broken } });
    expect([statusOf(await send(post('a'))), runs.length]).toEqual(['error', 0]);
  });
});

describe('A logger', () => {
  it('gets nothing above debug of what clients cause, and of what the server logs itself', async () => {
    const lines: [level: string, code: string][] = [];
    const at =
      (level: string) =>
      ({ code }: { readonly code: string }): unknown =>
        lines.push([level, code]);
    const logger = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
    const answers = [new Response('busy', { status: 503 }), new TypeError('boom'), new Response('done')];
    const { send } = bench({
      core: { onEvent: undefined, logger },
      fingerprint: (body) => JSON.parse(body.toString()) as unknown,
      handler: () => {
        const next = answers.shift();
        if (next instanceof Response) return next;
        throw next as Error;
      },
    });
    await send(post('a'));
    await send(post('a', { body: '{' }));
    await expect(send(post('a'))).rejects.toThrow('boom');
    await send(post('a'));
    await send(post('a', { body: '{}' }));
    await send(post('a, b'));
    expect(lines).toEqual([
      ['debug', 'RELEASED'],
      ['debug', 'UNHASHABLE_PAYLOAD'],
      ['debug', 'RELEASED'],
      ['debug', 'PAYLOAD_MISMATCH'],
    ]);
  });

  it('gets what fails for good', async () => {
    const codes: string[] = [];
    const note = ({ code }: { readonly code: string }): unknown => codes.push(code);
    const { send } = bench({
      core: { onEvent: undefined, logger: { error: note, warn: note } },
      handler: () => {
        throw new TerminalError('blocked');
      },
    });
    await expect(send(post('a'))).rejects.toThrow('blocked');
    expect(codes).toEqual(['FAILED']);
  });
});

test('a record that was damaged is answered 500, and runs nothing', async () => {
  const store = createMemoryStore();
  const handleOnce = createHandleOnce({ store, scope: 'api', fingerprint: false, onEvent: () => undefined });
  await handleOnce.inScope({ kind: 'http', name: 'POST /orders' })('-:a', '', () => 'text');
  const { send, runs } = bench({ store, fingerprint: false });
  expect((await send(post('a'))).status).toBe(500);
  expect(runs).toEqual([]);
});

test.each([204, 205, 304])('a body that a %i cannot have is left out', async (status) => {
  const store = createMemoryStore();
  const handleOnce = createHandleOnce({ store, scope: 'api', fingerprint: false, onEvent: () => undefined });
  // As a server of node:http has stored it.
  const stored = { status, headers: [['etag', '"1"']], text: 'x' };
  await handleOnce.inScope({ kind: 'http', name: 'POST /orders' })('-:a', '', () => stored);
  const replay = await bench({ store, fingerprint: false }).send(post('a'));
  expect([replay.status, await replay.text(), replay.headers.get('etag')]).toEqual([status, '', '"1"']);
});

test('a schema of handleOnce is not for requests', async () => {
  const schema = {
    '~standard': { version: 1, vendor: 'test', validate: () => expect.unreachable() },
  } as const;
  const { send } = bench({ core: { schema } });
  expect((await send(post('a'))).status).toBe(201);
});
