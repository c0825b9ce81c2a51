import { createHandleOnce, type HandleOnceOptions } from 'handle-once';
import { attemptOf, onceEachNodeRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import Koa, { type Context } from 'koa';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { gate } from '../../support/gate.ts';
import { hangUp, send, serve, told } from '../support/server.ts';

type Handler = (context: Context, run: number) => unknown;

/** An application with one handler, behind the middleware. */
async function listen(handler: Handler, core: Partial<HandleOnceOptions> = {}) {
  const app = new Koa();
  app.silent = true;
  const once = onceEachNodeRequest({
    handleOnce: createHandleOnce({
      store: createMemoryStore(),
      scope: 'shop',
      onEvent: () => undefined,
      ...core,
    }),
    route: '/orders',
    principal: (request) => request.headers.authorization ?? '',
  });
  let runs = 0;
  app.use((context, next) => once(context.req, context.res, next));
  app.use(async (context) => {
    runs += 1;
    await handler(context, runs);
  });
  const callback = app.callback();
  const url = await serve((request, response) => void callback(request, response));
  return { url, runs: () => runs };
}

const alice = { headers: { authorization: 'alice' } };

describe('Koa', () => {
  it('runs the handler once for each caller and key', async () => {
    const { url, runs } = await listen(async (context) => {
      const body = JSON.parse(await text(context.req)) as unknown;
      context.status = 201;
      context.set('location', '/orders/1');
      context.body = { key: attemptOf(context.req)?.childKey('charge'), body };
    });
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
    expect(told(await send(url, undefined, alice))).toEqual([400, 'missing-key']);
    expect(runs()).toBe(1);
  });

  it('sends and stores a body that is a stream', async () => {
    const { url } = await listen((context) => (context.body = Readable.from(['a', 'b'])));
    for (const status of ['stored', 'replayed']) {
      const answer = await send(url, 'a', alice);
      expect([told(answer), answer.body.toString()]).toEqual([[200, status], 'ab']);
    }
  });

  it('answers what is thrown by itself, and runs it again', async () => {
    const { url, runs } = await listen((context) => context.throw(422, 'no'));
    for (let run = 1; run <= 2; run += 1) {
      const answer = await send(url, 'a', alice);
      expect([answer.status, answer.body.toString(), runs()]).toEqual([422, 'no', run]);
    }
  });

  it('gives the retry of a client that has hung up the answer, whole', async () => {
    const [started, gone] = [gate(), gate()];
    const { url, runs } = await listen(async (context) => {
      context.req.socket.once('close', gone.open);
      started.open();
      await gone.opened;
      context.status = 201;
      context.body = { id: 1 };
    });
    await hangUp(url, 'a', started.opened, alice);
    await expect.poll(async () => told(await send(url, 'a', alice))).toEqual([201, 'replayed']);
    expect((await send(url, 'a', alice)).body.toString()).toBe('{"id":1}');
    expect(runs()).toBe(1);
  });

  it('answers a client at the timeout, and its retry with what the handler answers later', async () => {
    const released = gate();
    const { url, runs } = await listen(
      async (context) => {
        await released.opened;
        context.status = 201;
        context.body = { id: 1 };
      },
      { timeoutMs: 50 },
    );
    expect(told(await send(url, 'a', alice))).toEqual([503, 'timed-out']);
    released.open();
    await expect.poll(async () => told(await send(url, 'a', alice))).toEqual([201, 'replayed']);
    expect((await send(url, 'a', alice)).body.toString()).toBe('{"id":1}');
    expect(runs()).toBe(1);
  });
});
