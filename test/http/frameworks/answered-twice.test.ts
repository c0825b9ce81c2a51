import express5, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type Response,
} from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { createHandleOnce } from 'handle-once';
import { type HttpOptions, onceEachNodeRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { send, serve, told } from '../support/server.ts';

function onceEach(options: Partial<HttpOptions<IncomingMessage>> = {}) {
  return onceEachNodeRequest({
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'shop', onEvent: () => undefined }),
    route: '/orders',
    principal: null,
    ...options,
  });
}

/** Sends a request twice: the second is answered from the record of the first. */
async function twice(url: string, status: number, body: string): Promise<void> {
  for (const idempotencyStatus of ['stored', 'replayed']) {
    const answer = await send(url, 'a');
    expect([told(answer), answer.body.toString()]).toEqual([[status, idempotencyStatus], body]);
  }
}

// Express knows it by its four parameters.
const answer500: ErrorRequestHandler = (_error, _request, response, _next) => {
  response.status(500).json({ error: 'late' });
};

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s', (_, express) => {
  type Use = (response: Response) => unknown;

  async function listen(
    use: Use,
    options: Partial<HttpOptions<IncomingMessage>> = {},
    onError?: ErrorRequestHandler,
  ) {
    let runs = 0;
    const app: Express = express();
    // Express logs no error of tests.
    app.set('env', 'test');
    const handler: RequestHandler = (_request, response) => {
      runs += 1;
      use(response);
    };
    app.post('/orders', onceEach(options), handler);
    if (onError !== undefined) app.use(onError);
    return { url: await serve(app), runs: () => runs };
  }

  function answerThenThrow(response: Response): void {
    response.status(201).json({ id: 7 });
    throw new Error('after the answer');
  }

  it.each([
    ['an error handler that answers too', answer500],
    ['the error handler of Express', undefined],
  ])('the first answer is sent and stored where the handler throws after it: %s', async (_what, onError) => {
    const { url, runs } = await listen(answerThenThrow, {}, onError);
    await twice(url, 201, '{"id":7}');
    expect(runs()).toBe(1);
  });

  it('the first of two answers is sent and stored', async () => {
    const { url, runs } = await listen((response) => {
      response.status(201).json({ id: 7 });
      response.status(404).json({ error: 'no' });
    });
    await twice(url, 201, '{"id":7}');
    expect(runs()).toBe(1);
  });

  it.each<[what: string, use: Use]>([
    ['writeHead', (response) => response.writeHead(200)],
    ['write', (response) => response.write('x')],
  ])('a handler that throws after a part of its answer runs again: %s', async (_what, use) => {
    let isFirst = true;
    const { url, runs } = await listen((response) => {
      if (!isFirst) return response.send('done');
      isFirst = false;
      use(response);
      throw new Error('in the middle');
    });
    await expect(send(url, 'a')).rejects.toThrow();
    expect(told(await send(url, 'a'))).toEqual([200, 'stored']);
    expect(runs()).toBe(2);
  });

  it('a status that is none reaches the error handler', async () => {
    const { url, runs } = await listen(
      (response) => response.status(undefined as never).json({}),
      {},
      answer500,
    );
    for (let run = 1; run <= 2; run += 1) {
      const answer = await send(url, 'a');
      expect([told(answer), answer.body.toString(), runs()]).toEqual([
        [500, 'released'],
        '{"error":"late"}',
        run,
      ]);
    }
  });
});

describe('Fastify', () => {
  it('the first of two answers is sent and stored', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    const once = onceEach();
    app.addHook('onRequest', (request, reply, done) => {
      void once(request.raw, reply.raw, done as (error?: unknown) => void);
    });
    app.post('/orders', (_request, reply) => {
      void reply.code(201).send({ id: 7 });
      void reply.code(500).send({ error: 'late' });
    });
    await twice(await app.listen({ host: '127.0.0.1', port: 0 }), 201, '{"id":7}');
  });
});
