import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { gate } from '../support/gate.ts';
import { type Handler, listen } from './support/node-bench.ts';
import { send, told } from './support/server.ts';

/** The code of what a call throws. */
function codeOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}

type Use = (response: ServerResponse) => unknown;

const CHANGES: [what: string, change: Use][] = [
  ['setHeader', (response) => response.setHeader('x-late', '1')],
  ['setHeaders', (response) => response.setHeaders(new Map([['x-late', '1']]))],
  ['appendHeader', (response) => response.appendHeader('x-late', '1')],
  [
    'removeHeader',
    (response) => {
      response.removeHeader('x-first');
    },
  ],
  ['writeHead', (response) => response.writeHead(404)],
];

describe('After its end a response', () => {
  it.each(CHANGES)('takes no %s, at once and a tick later', async (_, change) => {
    const codes: unknown[] = [];
    const later = gate();
    const { url } = await listen((_request, response) => {
      response.setHeader('x-first', '1');
      response.end('first');
      codes.push(codeOf(() => change(response)));
      process.nextTick(() => {
        codes.push(codeOf(() => change(response)));
        later.open();
      });
    });
    const { status, headers, body } = await send(url, 'a');
    await later.opened;
    expect(codes).toEqual(['ERR_HTTP_HEADERS_SENT', 'ERR_HTTP_HEADERS_SENT']);
    expect([status, headers['x-first'], headers['x-late'], body.toString()]).toEqual([
      200,
      '1',
      undefined,
      'first',
    ]);
  });

  it('keeps its status and message, whatever is assigned', async () => {
    const { url, runs } = await listen((_, response) => {
      response.statusCode = 201;
      response.end('first');
      response.statusCode = 500;
      response.statusMessage = 'Late';
    });
    expect(told(await send(url, 'a'))).toEqual([201, 'stored']);
    expect(told(await send(url, 'a'))).toEqual([201, 'replayed']);
    expect(runs()).toBe(1);
  });

  it.each<[what: string, close: Handler]>([
    ['response.destroy()', (_, response) => response.destroy()],
    ['request.destroy()', (request) => request.destroy()],
    ['socket.destroy()', (request) => request.socket.destroy()],
    [
      'socket.destroySoon()',
      ({ socket }) => {
        socket.destroySoon();
      },
    ],
    ['socket.resetAndDestroy()', (_, response) => response.socket?.resetAndDestroy()],
    ['socket.end()', (request) => request.socket.end()],
    ['socket.end() twice', (request, response) => [request.socket.end(), response.socket?.end().destroy()]],
  ])('is sent and stored, also where its handler closes the connection then: %s', async (_, close) => {
    const { url, runs } = await listen((request, response) => {
      response.end('first');
      return close(request, response);
    });
    for (const status of ['stored', 'replayed']) {
      const answer = await send(url, 'a');
      expect([told(answer), answer.body.toString()]).toEqual([[200, status], 'first']);
    }
    expect(runs()).toBe(1);
  });

  it('is seen as ended, and as not yet finished', async () => {
    const seen: unknown[] = [];
    const { url } = await listen((_, response) => {
      response.end('first');
      seen.push(response.headersSent, response.writableEnded, response.writableFinished, response.destroyed);
    });
    await send(url, 'a');
    expect(seen).toEqual([true, true, false, false]);
  });

  it('tells the callback of a write that it came too late', async () => {
    const errors: unknown[] = [];
    const { url } = await listen((_, response) => {
      response.on('error', ({ message }) => errors.push(message));
      response.end('first');
      const isTaken = response.write('more', (error) => errors.push((error as { code?: string }).code));
      errors.push(isTaken);
    });
    expect((await send(url, 'a')).body.toString()).toBe('first');
    expect(errors).toEqual([false, 'ERR_STREAM_WRITE_AFTER_END', 'write after end']);
  });
});

describe('After writeHead and before its end a response', () => {
  it.each(CHANGES)('takes no %s', async (_, change) => {
    let code: unknown;
    const { url } = await listen((_request, response) => {
      response.writeHead(201, { 'x-first': '1' });
      code = codeOf(() => change(response));
      response.end();
    });
    const { status, headers } = await send(url, 'a');
    expect([code, status, headers['x-first']]).toEqual(['ERR_HTTP_HEADERS_SENT', 201, '1']);
  });
});

describe('After its handler has destroyed it a response', () => {
  it('is seen as Node has it, and says so to a write', async () => {
    const seen: unknown[] = [];
    const { url, runs } = await listen((_, response) => {
      response.on('error', () => seen.push('error'));
      response.destroy(new Error('no more'));
      seen.push(response.headersSent, response.writableEnded, response.destroyed);
      seen.push(response.write('late', (error) => seen.push((error as { code?: string }).code)));
      response.end('late');
    });
    await expect(send(url, 'a')).rejects.toThrow();
    expect(seen).toEqual([false, false, true, false, 'ERR_STREAM_DESTROYED']);
    expect(runs()).toBe(1);
  });
});

describe('What Node refuses is refused in the call of the handler', () => {
  it.each<[what: string, use: Use, code: string]>([
    [
      'no status',
      (response) => Object.assign(response, { statusCode: undefined as never }).end('x'),
      'ERR_HTTP_INVALID_STATUS_CODE',
    ],
    [
      'a status of 1000',
      (response) => Object.assign(response, { statusCode: 1000 }).end('x'),
      'ERR_HTTP_INVALID_STATUS_CODE',
    ],
    ['writeHead(99)', (response) => response.writeHead(99), 'ERR_HTTP_INVALID_STATUS_CODE'],
    [
      'a line break in the message',
      (response) => Object.assign(response, { statusMessage: 'a\nb' }).end('x'),
      'ERR_INVALID_CHAR',
    ],
    [
      'a list of headers of odd length',
      (response) => response.writeHead(200, ['a', 'b', 'c']),
      'ERR_INVALID_ARG_VALUE',
    ],
    [
      'a trailer without chunks',
      (response) => response.writeHead(200, { trailer: 'a', 'content-length': 0 }),
      'ERR_HTTP_TRAILER_INVALID',
    ],
    ['a number as the end', (response) => response.end(123), 'ERR_INVALID_ARG_TYPE'],
    ['an object to write', (response) => response.write({}), 'ERR_INVALID_ARG_TYPE'],
    ['null to write', (response) => response.write(null), 'ERR_STREAM_NULL_VALUES'],
    ['an unknown encoding', (response) => response.write('a', 'bogus' as never), 'ERR_UNKNOWN_ENCODING'],
  ])('%s', async (_, use, code) => {
    let thrown: unknown;
    const { url, runs } = await listen((_request, response) => {
      thrown = codeOf(() => use(response));
      response.statusMessage = '';
      response.writeHead(201).end('caught');
    });
    const first = await send(url, 'a');
    expect([thrown, told(first), first.body.toString()]).toEqual([code, [201, 'stored'], 'caught']);
    expect(told(await send(url, 'a'))).toEqual([201, 'replayed']);
    expect(runs()).toBe(1);
  });

  it.each([
    ['201', 'stored', 'replayed'],
    ['429', 'released', 'released'],
  ])('a status as text is a number: %s is %s', async (text, first, second) => {
    const { url } = await listen((_, response) => Object.assign(response, { statusCode: text }).end('x'));
    expect(told(await send(url, 'a'))).toEqual([Number(text), first]);
    expect(told(await send(url, 'a'))).toEqual([Number(text), second]);
  });
});

describe('A connection that the server closes before the end of the response', () => {
  it.each<[what: string, handler: Handler]>([
    [
      'by the socket of the request',
      (request, response) => [response.writeHead(200), request.socket.destroy()],
    ],
    ['by the socket of the response', (_, response) => [response.writeHead(200), response.socket?.destroy()]],
    ['after a write', (request, response) => [response.write('x'), request.socket.destroy()]],
    ['by the request', (request) => request.destroy()],
    ['by the end of the socket', (request) => request.socket.end()],
    ['by destroySoon', (_, response) => response.socket?.destroySoon()],
    ['by resetAndDestroy', (request) => request.socket.resetAndDestroy()],
    ['by the response', (_, response) => [response.write('x'), response.destroy()]],
  ])('%s: the attempt is released, and a retry runs', async (_, breakOff) => {
    let isFirst = true;
    const { url, runs, events } = await listen((request, response) => {
      if (!isFirst) return response.end('done');
      isFirst = false;
      return breakOff(request, response);
    });
    await expect(send(url, 'a')).rejects.toThrow();
    const retry = await send(url, 'a');
    expect([told(retry), retry.body.toString(), runs()]).toEqual([[200, 'stored'], 'done', 2]);
    expect(events.map(({ type }) => type)).toEqual(['released', 'stored']);
  });
});
