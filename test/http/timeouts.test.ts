import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { gate } from '../support/gate.ts';
import { bench, created, endless, post, statusOf } from './support/bench.ts';
import { json, listen } from './support/node-bench.ts';
import { send, told } from './support/server.ts';
import { compress, type Middleware } from './support/stack.ts';

const IN_TIME = 60_000;
/** Above what is kept by default. */
const LARGE = Array.from({ length: 30 }, () => Buffer.alloc(10_000, 'a'));

describe('A handler of node:http that has not begun to answer by its timeout', () => {
  const core = { timeoutMs: 50, leaseMs: IN_TIME };

  it('has its client answered then, and its own answer later kept for the retry', async () => {
    const released = gate();
    const { url, runs, events } = await listen(
      async (_, response) => {
        response.setHeader('location', '/orders/1');
        await released.opened;
        json(response, 201, { id: 1, had: response.getHeader('location') });
      },
      { core },
    );
    const first = await send(url, 'a');
    expect([told(first), first.headers['retry-after'], first.headers.location]).toEqual([
      [503, 'timed-out'],
      '1',
      undefined,
    ]);
    expect(JSON.parse(first.body.toString())).toMatchObject({ title: 'The request takes too long' });
    expect(told(await send(url, 'a'))).toEqual([409, 'in-flight']);
    released.open();
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([201, 'replayed']);
    const retry = await send(url, 'a');
    expect([retry.headers.location, retry.headers['content-type'], retry.body.toString()]).toEqual([
      '/orders/1',
      'application/json',
      '{"id":1,"had":"/orders/1"}',
    ]);
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['timed-out', 'in-flight']);
    expect(runs()).toBe(1);
  });

  it('runs again where it answers later that it failed', async () => {
    const released = gate();
    const { url, runs } = await listen(
      async (_, response) => {
        if (runs() > 1) return response.end('done');
        await released.opened;
        response.statusCode = 500;
        return response.end('no');
      },
      { core },
    );
    expect(told(await send(url, 'a'))).toEqual([503, 'timed-out']);
    released.open();
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([200, 'stored']);
    expect(runs()).toBe(2);
  });

  it('can pipe more than is kept to its end', async () => {
    const [released, piped] = [gate(), gate()];
    const { url } = await listen(
      async (_, response) => {
        await released.opened;
        await pipeline(Readable.from(LARGE), response);
        piped.open();
      },
      { core },
    );
    expect(told(await send(url, 'a'))).toEqual([503, 'timed-out']);
    released.open();
    await piped.opened;
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([410, 'not-kept']);
  });

  it('is not waited for beyond another lease', async () => {
    const { url, runs } = await listen((_, response) => (runs() > 1 ? response.end('done') : undefined), {
      core: { timeoutMs: 50, leaseMs: 1_000 },
    });
    expect(told(await send(url, 'a'))).toEqual([503, 'timed-out']);
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([200, 'stored']);
    expect(runs()).toBe(2);
  });

  it('can still write after that: it goes nowhere', async () => {
    const [released, written] = [gate(), gate()];
    const { url, runs } = await listen(
      async (_, response) => {
        if (runs() > 1) return response.end('done');
        await released.opened;
        response.setHeader('x-late', '1').writeHead(201).end('late');
        written.open();
        return undefined;
      },
      { core: { timeoutMs: 50, leaseMs: 1_000 } },
    );
    expect(told(await send(url, 'a'))).toEqual([503, 'timed-out']);
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([200, 'stored']);
    released.open();
    await written.opened;
    expect((await send(url, 'a')).body.toString()).toBe('done');
  });

  it('has what is in front see, send and compress what its client is answered', async () => {
    const released = gate();
    const logged: unknown[] = [];
    const log: Middleware = (_request, response, next) => {
      response.setHeader('access-control-allow-origin', '*');
      response.on('finish', () => logged.push(response.statusCode));
      return next();
    };
    const { url } = await listen(
      async (_, response) => {
        response.statusCode = 201;
        await released.opened;
        response.end('done');
      },
      { core, before: [log, compress] },
    );
    const first = await send(url, 'a', { headers: { 'accept-encoding': 'gzip' } });
    expect([told(first), first.headers['access-control-allow-origin']]).toEqual([[503, 'timed-out'], '*']);
    expect(JSON.parse(gunzipSync(first.body).toString())).toMatchObject({ status: 503 });
    await expect.poll(() => logged).toEqual([503]);
    released.open();
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([201, 'replayed']);
  });

  it('leaves its connection to the next request', async () => {
    const { url } = await listen(
      (request, response) => (request.url === '/next' ? response.end('next') : undefined),
      { core },
    );
    const statuses: number[] = [];
    for (const path of ['/orders', '/next']) {
      const headers = { 'idempotency-key': path };
      const response = await fetch(url + path, { method: 'POST', body: '{}', headers });
      statuses.push(response.status);
      await response.arrayBuffer();
    }
    expect(statuses).toEqual([503, 200]);
  });
});

describe('A Fetch handler that has not returned by its timeout', () => {
  const core = { timeoutMs: 50, leaseMs: IN_TIME };

  it('has its client answered then, and what it returns later kept for the retry', async () => {
    const released = gate();
    const { send: handle, runs } = bench({
      core,
      handler: async () => {
        await released.opened;
        return created();
      },
    });
    const first = await handle(post('a'));
    expect([first.status, statusOf(first), first.headers.get('retry-after')]).toEqual([
      503,
      'timed-out',
      '1',
    ]);
    expect((await handle(post('a'))).status).toBe(409);
    released.open();
    await expect.poll(async () => statusOf(await handle(post('a')))).toBe('replayed');
    expect(await (await handle(post('a'))).json()).toEqual({ id: 'order-1' });
    expect(runs).toHaveLength(1);
  });

  it('is not waited for beyond another lease', async () => {
    const { send: handle, runs } = bench({
      core: { timeoutMs: 50, leaseMs: 1_000 },
      handler: () => (runs.length > 1 ? created() : new Promise<Response>(() => undefined)),
    });
    expect((await handle(post('a'))).status).toBe(503);
    await expect.poll(async () => statusOf(await handle(post('a')))).toBe('stored');
    expect(runs).toHaveLength(2);
  });

  it('has what it returns beyond another lease cancelled', async () => {
    const [released, cancelled] = [gate(), gate()];
    const { send: handle, runs } = bench({
      core: { timeoutMs: 50, leaseMs: 1_000 },
      handler: async () => {
        if (runs.length > 1) return created();
        await released.opened;
        return new Response(endless(cancelled.open));
      },
    });
    expect((await handle(post('a'))).status).toBe(503);
    await expect.poll(async () => statusOf(await handle(post('a')))).toBe('stored');
    released.open();
    await cancelled.opened;
  });

  it('has what it returns later cancelled where that is more than is kept', async () => {
    const [released, cancelled] = [gate(), gate()];
    const { send: handle } = bench({
      core,
      handler: async () => {
        await released.opened;
        return new Response(endless(cancelled.open));
      },
    });
    expect((await handle(post('a'))).status).toBe(503);
    released.open();
    await cancelled.opened;
    await expect.poll(async () => (await handle(post('a'))).status).toBe(410);
  });
});

describe('The timeout of a request', () => {
  it('is 60 seconds where handleOnce has none', async () => {
    vi.useFakeTimers();
    try {
      const { send: handle } = bench({ handler: () => new Promise<Response>(() => undefined) });
      let status: number | undefined;
      void handle(post('a')).then((response) => (status = response.status));
      await vi.advanceTimersByTimeAsync(59_900);
      expect(status).toBeUndefined();
      await vi.advanceTimersByTimeAsync(200);
      expect(status).toBe(503);
    } finally {
      vi.useRealTimers();
    }
  });
});
