import { describe, expect, it } from 'vitest';
import { type Gate, gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { heldClaims } from './support/held-claims.ts';
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
});
