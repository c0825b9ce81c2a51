import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { type Gate, gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { heldClaims, heldSettles } from './support/held-store.ts';
import { type Handler, json, listen } from './support/node-bench.ts';
import { hangUp, send, told } from './support/server.ts';
import { type Middleware, parseJson } from './support/stack.ts';

const echo: Handler = (request, response) => json(response, 200, { body: request.body ?? null });

const BODY = '{"body":{"cents":995}}';

/** Notes that its client has gone. */
function watched(): { readonly watch: Middleware; readonly gone: Gate } {
  const gone = gate();
  const watch: Middleware = (request, _response, next) => {
    request.socket.once('close', gone.open);
    return next();
  };
  return { watch, gone };
}

describe('A client that hangs up', () => {
  it('before its caller is known: nothing runs, and the retry is the first', async () => {
    const { watch, gone } = watched();
    const asked = gate();
    const { url, runs, events } = await listen(echo, {
      before: [watch],
      behind: [parseJson],
      principal: async () => {
        asked.open();
        await gone.opened;
        return 'alice';
      },
    });
    await hangUp(url, 'a', asked.opened);
    await until(() => events.length === 1);
    expect([events[0]?.type, runs()]).toEqual(['threw', 0]);
    expect(told(await send(url, 'a'))).toEqual([200, 'stored']);
  });

  it('during the claim: the handler does not run without its body, and the retry does', async () => {
    const { watch, gone } = watched();
    const { store, claiming } = heldClaims(gone.opened);
    const { url, runs, events } = await listen(echo, {
      before: [watch],
      behind: [parseJson],
      core: { store },
    });
    await hangUp(url, 'a', claiming.opened);
    await until(() => events.length === 1);
    expect([events[0]?.type, runs()]).toEqual(['released', 0]);
    const retry = await send(url, 'a');
    expect([told(retry), retry.body.toString()]).toEqual([[200, 'stored'], BODY]);
  });

  it('before the body is parsed: the parser still gets it, and the retry gets the answer', async () => {
    const { watch, gone } = watched();
    const started = gate();
    const wait: Middleware = async (_request, _response, next) => {
      started.open();
      await gone.opened;
      await next();
    };
    const { url, runs } = await listen(echo, { before: [watch], behind: [wait, parseJson] });
    await hangUp(url, 'a', started.opened);
    await until(() => runs() === 1);
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([200, 'replayed']);
    expect((await send(url, 'a')).body.toString()).toBe(BODY);
  });

  it('while the handler runs: neither its request nor its response is told before it has answered', async () => {
    const { watch, gone } = watched();
    const [started, closed] = [gate(), gate()];
    const seen: string[] = [];
    const { url, runs } = await listen(
      async (request, response) => {
        for (const name of ['aborted', 'close', 'error']) {
          request.on(name, () => seen.push(`request ${name}`));
          response.on(name, () => seen.push(`response ${name}`));
        }
        response.on('close', closed.open);
        started.open();
        await gone.opened;
        seen.push('answers');
        response.end('done');
      },
      { before: [watch] },
    );
    await hangUp(url, 'a', started.opened);
    await closed.opened;
    await until(() => seen.includes('request close'));
    expect(seen[0]).toBe('answers');
    expect(told(await send(url, 'a'))).toEqual([200, 'replayed']);
    expect(runs()).toBe(1);
  });

  it('during the claim: nothing runs without a body either, and the retry is the first', async () => {
    const { watch, gone } = watched();
    const { store, claiming } = heldClaims(gone.opened);
    const { url, runs, events } = await listen(echo, { before: [watch], core: { store } });
    await hangUp(url, 'a', claiming.opened, { body: '' });
    await until(() => events.length === 1);
    expect([events[0]?.type, runs()]).toEqual(['released', 0]);
    expect(told(await send(url, 'a', { body: '' }))).toEqual([200, 'stored']);
  });

  it('before the handler pipes its answer: the answer is whole, and the retry gets it', async () => {
    const { watch, gone } = watched();
    const started = gate();
    const seen: unknown[] = [];
    const { url, runs } = await listen(
      async (_, response) => {
        started.open();
        await gone.opened;
        seen.push(response.destroyed, response.closed);
        await pipeline(Readable.from(['a', 'b']), response).finally(() => seen.push('closed'));
      },
      { before: [watch] },
    );
    await hangUp(url, 'a', started.opened);
    await expect.poll(async () => told(await send(url, 'a'))).toEqual([200, 'replayed']);
    expect((await send(url, 'a')).body.toString()).toBe('ab');
    await until(() => seen.length === 3);
    expect([seen, runs()]).toEqual([[false, false, 'closed'], 1]);
  });

  it('before its handler fails in a stream: the handler is told of both, and the retry runs', async () => {
    const { watch, gone } = watched();
    const started = gate();
    const failures: unknown[] = [];
    const { url, runs, events } = await listen(
      async (_, response) => {
        if (runs() > 1) return response.end('done');
        started.open();
        await gone.opened;
        const failing = new Readable({ read: () => failing.destroy(new Error('the upstream is gone')) });
        return await pipeline(failing, response).catch((error: unknown) => failures.push(error));
      },
      { before: [watch] },
    );
    await hangUp(url, 'a', started.opened);
    await until(() => failures.length === 1);
    expect(events).toMatchObject([{ type: 'released', error: { message: 'the upstream is gone' } }]);
    expect(told(await send(url, 'a'))).toEqual([200, 'stored']);
  });

  it('between the answer of the handler and its record: the handler is told after that', async () => {
    const { watch, gone } = watched();
    const { store, settling } = heldSettles(gone.opened);
    const closed = gate();
    let eventsBefore = 0;
    const { url, runs, events } = await listen(
      (_, response) => {
        response.on('close', () => {
          eventsBefore = events.length;
          closed.open();
        });
        response.end('done');
      },
      { before: [watch], core: { store } },
    );
    await hangUp(url, 'a', settling.opened);
    await closed.opened;
    expect(eventsBefore).toBe(1);
    expect([told(await send(url, 'a')), runs()]).toEqual([[200, 'replayed'], 1]);
  });
});

describe('A connection that is silent for longer than its handler allows', () => {
  it('is closed, and the handler runs to its end: the retry gets its answer', async () => {
    const { watch, gone } = watched();
    const { url, runs, events } = await listen(
      async (_, response) => {
        response.setTimeout(20);
        await gone.opened;
        response.end('done');
      },
      { before: [watch] },
    );
    await expect(send(url, 'a')).rejects.toThrow();
    await until(() => events.length === 1);
    expect(told(await send(url, 'a'))).toEqual([200, 'replayed']);
    expect([events[0]?.type, runs()]).toEqual(['stored', 1]);
  });
});
