import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bench, post, statusOf } from './support/bench.ts';

/** A body whose parts come one by one. */
function slowBody(parts: readonly string[]): ReadableStream<Uint8Array> {
  const rest = [...parts];
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await sleep(20);
      const part = rest.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(Buffer.from(part));
    },
  });
}

/** A body that begins, and never ends. */
function openBody(): { readonly body: ReadableStream<Uint8Array>; readonly isCancelled: () => boolean } {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from('a'));
    },
    cancel() {
      cancelled = true;
    },
  });
  return { body, isCancelled: () => cancelled };
}

describe('A streaming body', () => {
  it('without an end in time is refused, once and for all: the handler does not run again', async () => {
    const slow = openBody();
    const { send, runs } = bench({ core: { timeoutMs: 100 }, handler: () => new Response(slow.body) });
    const first = await send(post('a'));
    expect([first.status, statusOf(first)]).toEqual([500, 'stored']);
    expect(await first.json()).toMatchObject({ status: 500, title: 'The response is a stream' });
    expect(slow.isCancelled()).toBe(true);
    const retry = await send(post('a'));
    expect([retry.status, statusOf(retry)]).toEqual([500, 'replayed']);
    expect(runs).toHaveLength(1);
  });

  it('of events is refused even where its first are there', async () => {
    const handler = () => new Response('data: 1\n\n', { headers: { 'content-type': 'text/event-stream' } });
    const { send } = bench({ handler });
    expect((await send(post('a'))).status).toBe(500);
  });

  it('whose parts come one by one is waited for', async () => {
    const { send, runs } = bench({
      handler: () => new Response(slowBody(['a', 'b'])),
    });
    expect(await (await send(post('a'))).text()).toBe('ab');
    const retry = await send(post('a'));
    expect([statusOf(retry), await retry.text()]).toEqual(['replayed', 'ab']);
    expect(runs).toHaveLength(1);
  });

  it('that fails while it is buffered is thrown on, and runs again', async () => {
    const body = () =>
      new ReadableStream({
        async pull() {
          await sleep(1);
          throw new Error('the upstream is gone');
        },
      });
    const { send, runs } = bench({ handler: () => new Response(body()) });
    await expect(send(post('a'))).rejects.toThrow('the upstream is gone');
    await expect(send(post('a'))).rejects.toThrow('the upstream is gone');
    expect(runs).toHaveLength(2);
  });

  it('without an end is bounded: it reaches its client, and is not kept', async () => {
    let made = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        made += 1;
        controller.enqueue(Buffer.alloc(10_000, 'a'));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const { send } = bench({ handler: () => new Response(endless) });
    const first = await send(post('a'));
    expect(statusOf(first)).toBe('stored');
    expect(made).toBeLessThan(12);
    const reader = first.body?.getReader();
    let size = 0;
    while (size < 200_000) {
      const chunk = (await reader?.read())?.value as Uint8Array;
      size += chunk.byteLength;
    }
    await reader?.cancel();
    expect(isCancelled).toBe(true);
    expect((await send(post('a'))).status).toBe(410);
  });

  it('is none that is complete when the handler returns, however it is made', async () => {
    const complete = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('a'));
        controller.enqueue(Buffer.from('b'));
        controller.close();
      },
    });
    const bodies = [complete, new Blob(['ab']), new URLSearchParams('ab'), Buffer.from('ab')];
    for (const [n, body] of bodies.entries()) {
      const { send } = bench({ handler: () => new Response(body) });
      const response = await send(post(String(n)));
      expect([response.status, (await response.text()).slice(0, 2)]).toEqual([200, 'ab']);
    }
  });

  it('of a released answer is passed on untouched', async () => {
    const { send } = bench({ handler: () => new Response(slowBody(['a', 'b']), { status: 503 }) });
    const response = await send(post('a'));
    expect([response.status, statusOf(response), await response.text()]).toEqual([503, 'released', 'ab']);
  });
});
