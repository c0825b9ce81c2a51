import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { heldSettles } from './support/held-store.ts';
import { type Handler, listen } from './support/node-bench.ts';
import { send, told } from './support/server.ts';
import type { Middleware } from './support/stack.ts';

/** Sends a POST, and tells what else than the answer came. */
async function observed(url: string): Promise<{ early: unknown[]; response: IncomingMessage; body: string }> {
  const request = httpRequest(`${url}/orders`, {
    method: 'POST',
    agent: false,
    headers: { 'idempotency-key': 'a' },
  });
  const early: unknown[] = [];
  request.on('information', ({ statusCode, headers }) => early.push([statusCode, headers['link']]));
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { early, response, body: await text(response) };
}

describe('What a handler calls of its response', () => {
  it.each<[what: string, handler: Handler, headers: Record<string, unknown>]>([
    [
      'writeHead with a flat list',
      (_, response) =>
        response.writeHead(200, ['Link', '<a>', 'Vary', 'x', 'link', '<b>', 'ETag', '"1"']).end(),
      { link: '<a>, <b>', vary: 'x', etag: '"1"' },
    ],
    [
      'writeHead with a list of pairs',
      (_, response) => {
        const pairs = [
          ['Link', ['<a>', '<b>']],
          ['ETag', '"1"'],
        ];
        response.writeHead(200, pairs as never).end();
      },
      { link: '<a>, <b>', etag: '"1"' },
    ],
    [
      'setHeader, and writeHead with another value',
      (_, response) => response.setHeader('etag', '"1"').writeHead(200, { ETag: '"2"' }).end(),
      { etag: '"2"' },
    ],
    [
      'appendHeader',
      (_, response) => response.appendHeader('link', '<a>').appendHeader('link', '<b>').end(),
      { link: '<a>, <b>' },
    ],
    [
      'setHeaders with Headers',
      (_, response) => response.setHeaders(new Headers({ Link: '<a>', ETag: '"1"' })).end(),
      { link: '<a>', etag: '"1"' },
    ],
    [
      'setHeaders with a Map',
      (_, response) => response.setHeaders(new Map([['ETag', '"1"']])).end(),
      { etag: '"1"' },
    ],
    [
      'writeHead with undefined in place of a message',
      (_, response) => response.writeHead(200, undefined, { ETag: '"1"' }).end(),
      { etag: '"1"' },
    ],
    [
      'writeHead with null in place of headers',
      (_, response) =>
        response
          .setHeader('etag', '"1"')
          .writeHead(200, null as never)
          .end(),
      { etag: '"1"' },
    ],
    [
      'writeHeader, the old name of writeHead',
      (_, response) => {
        (
          response as unknown as Pick<typeof response, 'writeHead'> & {
            writeHeader: typeof response.writeHead;
          }
        )
          .writeHeader(200, { ETag: '"1"' })
          .end();
      },
      { etag: '"1"' },
    ],
  ])('%s: a replay has the same headers', async (_, handler, headers) => {
    const { url } = await listen(handler);
    for (const status of ['stored', 'replayed']) {
      const response = await send(url, 'a');
      expect(told(response)).toEqual([200, status]);
      expect(response.headers).toMatchObject(headers);
    }
  });

  it('what is in front reads the head of a replay as that of the first answer', async () => {
    const seen: unknown[] = [];
    const log: Middleware = (_request, response, next) => {
      response.on('finish', () => {
        seen.push([
          response.statusCode,
          response.getHeader('etag'),
          response.getHeader('idempotency-status'),
        ]);
      });
      return next();
    };
    const handler: Handler = (_, response) => response.writeHead(201, { ETag: '"1"' }).end();
    const { url } = await listen(handler, { before: [log] });
    await send(url, 'a');
    await send(url, 'a');
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      [201, '"1"', 'stored'],
      [201, '"1"', 'replayed'],
    ]);
  });

  it('what is piped waits once it is more than can be kept, until it is on record', async () => {
    const recorded = gate();
    const { store, settling } = heldSettles(recorded.opened);
    let made = 0;
    const source = function* (): Generator<Buffer> {
      for (made = 1; made <= 200; made += 1) yield Buffer.alloc(10_000, 'a');
    };
    const { url } = await listen((_, response) => pipeline(Readable.from(source()), response), {
      core: { store },
    });
    const answer = send(url, 'a');
    await settling.opened;
    for (let turn = 0; turn < 100; turn += 1) await turnOfTheLoop();
    expect(made).toBeLessThan(50);
    recorded.open();
    expect((await answer).body.length).toBe(2_000_000);
  });

  it('a message reaches the first client, and is not replayed', async () => {
    const { url } = await listen((_, response) => {
      response.statusMessage = 'Made';
      response.writeHead(201).end();
    });
    expect((await observed(url)).response.statusMessage).toBe('Made');
    expect((await observed(url)).response.statusMessage).toBe('Created');
  });

  it('cork without uncork: the answer is sent', async () => {
    const { url } = await listen((_, response) => {
      response.cork();
      response.write('a');
      response.end('b');
    });
    for (const status of ['stored', 'replayed']) {
      const answer = await send(url, 'a');
      expect([told(answer), answer.body.toString()]).toEqual([[200, status], 'ab']);
    }
  });

  it('its events come in the order that Node has, and after its calls', async () => {
    const seen: unknown[] = [];
    const closed = gate();
    const { url } = await listen((_, response) => {
      const note = (event: string) => () => seen.push([event, response.writableFinished, response.destroyed]);
      response.on('close', closed.open);
      for (const event of ['close', 'finish', 'prefinish']) response.on(event, note(event));
      response.end('b', note('callback'));
      note('end')();
    });
    await send(url, 'a');
    await closed.opened;
    expect(seen).toEqual([
      ['end', false, false],
      ['prefinish', expect.any(Boolean), false],
      ['finish', true, false],
      ['callback', true, false],
      ['close', true, true],
    ]);
  });

  it.each([204, 304])('end with a body that %i has not: a replay has none either', async (status) => {
    const { url } = await listen((_, response) => response.writeHead(status).end('x'));
    for (const idempotencyStatus of ['stored', 'replayed']) {
      const response = await send(url, 'a');
      expect([told(response), response.body.length]).toEqual([[status, idempotencyStatus], 0]);
    }
  });

  it('early hints reach the first client at once, and are not replayed', async () => {
    const { url } = await listen((_, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.writeHead(200, { 'content-type': 'text/plain' }).end('done');
    });
    const first = await observed(url);
    expect([first.early, first.body]).toEqual([
      [
        [102, undefined],
        [103, '</a.css>; rel=preload'],
      ],
      'done',
    ]);
    const replay = await observed(url);
    expect([replay.early, replay.body, replay.response.headers['idempotency-status']]).toEqual([
      [],
      'done',
      'replayed',
    ]);
  });

  it('trailers reach the first client, and are not replayed', async () => {
    const { url } = await listen((_, response) => {
      response.setHeader('trailer', 'x-sum');
      response.write('a');
      response.addTrailers({ 'x-sum': '1' });
      response.end('b');
    });
    const first = await observed(url);
    expect([first.body, first.response.trailers]).toEqual(['ab', { 'x-sum': '1' }]);
    const replay = await observed(url);
    expect([replay.body, replay.response.trailers, replay.response.headers.trailer]).toEqual([
      'ab',
      {},
      undefined,
    ]);
  });

  it('trailers without a header of their names reach the first client after a write, as with Node', async () => {
    const { url } = await listen((_, response) => {
      response.write('a');
      response.addTrailers({ 'x-sum': '1' });
      response.end('b');
    });
    const { body, response } = await observed(url);
    expect([body, response.trailers, response.headers['idempotency-status']]).toEqual([
      'ab',
      { 'x-sum': '1' },
      'stored',
    ]);
  });

  it('write and end after end change nothing, and their callbacks are called', async () => {
    const called: string[] = [];
    const { url } = await listen((_, response) => {
      response.end('done', () => called.push('end'));
      response.write('more', () => called.push('write'));
      response.end(() => called.push('end again'));
    });
    expect((await send(url, 'a')).body.toString()).toBe('done');
    expect((await send(url, 'a')).body.toString()).toBe('done');
    await expect.poll(() => called.sort()).toEqual(['end', 'end again', 'write']);
  });

  it('end by a timeout in front is taken for the answer of the handler, and 503 is released', async () => {
    const held = gate();
    const timeout: Middleware = (_request, response, next) => {
      void next();
      void started.opened.then(() => response.writeHead(503).end('too late'));
    };
    const started = gate();
    const { url, runs } = await listen(
      async (_, response) => {
        started.open();
        await held.opened;
        response.end('done');
      },
      { before: [timeout] },
    );
    const answer = await send(url, 'a');
    expect([told(answer), answer.body.toString()]).toEqual([[503, 'released'], 'too late']);
    held.open();
    expect(runs()).toBe(1);
  });

  it('destroy: the attempt has failed, its client has no answer, and a retry runs', async () => {
    let isFirst = true;
    const source = async function* (): AsyncGenerator<string> {
      yield 'a';
      await Promise.resolve();
      if (!isFirst) return;
      isFirst = false;
      throw new Error('the upstream is gone');
    };
    const { url, runs, events } = await listen((_, response) =>
      pipeline(Readable.from(source()), response).catch(() => undefined),
    );
    await expect(send(url, 'a')).rejects.toThrow();
    expect(events).toMatchObject([{ type: 'released', error: { message: 'the upstream is gone' } }]);
    const retry = await send(url, 'a');
    expect([told(retry), retry.body.toString(), runs()]).toEqual([[200, 'stored'], 'a', 2]);
  });
});

describe('What a function of the options throws', () => {
  it.each([undefined, null, '', 0, 'route', 'router'])(
    'reaches next as an error: %j must not let the request through',
    async (thrown) => {
      const { url, runs } = await listen((_, response) => response.end('no'), {
        principal: () => {
          // oxlint-disable-next-line typescript/only-throw-error -- a user's function may throw anything
          throw thrown;
        },
      });
      expect([(await send(url, 'a')).status, runs()]).toEqual([500, 0]);
    },
  );
});
