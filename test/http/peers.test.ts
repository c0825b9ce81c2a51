import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it } from 'vitest';
import { gate } from '../support/gate.ts';
import { bench, post, seen, statusOf } from './support/bench.ts';

/**
 * The behaviour over HTTP that two other implementations of the draft test, by what they call it. Where ours differs,
 * the test says so, and docs/evidence/http-draft.md says why.
 */
describe('As hono-idempotency', () => {
  it.each<[string, () => Response]>([
    ['text', () => new Response('hello')],
    ['JSON', () => Response.json({ message: 'ok' })],
    ['a 201', () => Response.json({ item: 'A' }, { status: 201 })],
  ])('answers a retry from the first answer: %s', async (_, handler) => {
    const { send } = bench({ handler });
    const first = await send(post('key'));
    const retry = await send(post('key'));
    expect(statusOf(first)).toBe('stored');
    expect(statusOf(retry)).toBe('replayed');
    expect(await seen(retry)).toEqual(await seen(first));
  });

  it('refuses a key that is too long', async () => {
    expect((await bench().send(post('a'.repeat(256)))).status).toBe(400);
  });

  it('runs one of two requests at once, and answers the other 409 with Retry-After', async () => {
    const held = gate();
    const { send, runs } = bench({ handler: () => held.opened.then(() => Response.json({ done: true })) });
    const both = [send(post('key')), send(post('key'))];
    const conflict = await Promise.race(both);
    expect([conflict.status, conflict.headers.get('retry-after')]).toEqual([409, '1']);
    held.open();
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
    expect(runs).toHaveLength(1);
  });

  it('refuses the same key with another body', async () => {
    const { send } = bench();
    await send(post('key', { body: '{"item":"A"}' }));
    const other = await send(post('key', { body: '{"item":"B"}' }));
    expect([other.status, ((await other.json()) as { type: string }).type]).toEqual([
      422,
      expect.stringContaining('#mismatch'),
    ]);
  });

  it('runs again after an exception or a 5xx', async () => {
    const answers: (() => Response)[] = [
      () => {
        throw new Error('boom');
      },
      () => new Response('fail', { status: 500 }),
      () => new Response('ok'),
    ];
    const { send } = bench({ handler: () => (answers.shift() as () => Response)() });
    await expect(send(post('key'))).rejects.toThrow('boom');
    expect((await send(post('key'))).status).toBe(500);
    expect((await send(post('key'))).status).toBe(200);
  });

  it('differs: a 4xx that the same request would get again is stored', async () => {
    const { send, runs } = bench({ handler: () => new Response('invalid', { status: 400 }) });
    await send(post('key'));
    expect(statusOf(await send(post('key')))).toBe('replayed');
    expect(runs).toHaveLength(1);
  });

  it('lets requests without a key, and of other methods, pass', async () => {
    const { send, runs } = bench({ required: false });
    await send(post(undefined));
    await send(post('key', { method: 'GET' }));
    await send(post('key', { method: 'PUT' }));
    expect(runs).toHaveLength(3);
  });

  it('covers PATCH', async () => {
    const { send } = bench();
    await send(post('key', { method: 'PATCH' }));
    expect(statusOf(await send(post('key', { method: 'PATCH' })))).toBe('replayed');
  });

  it('covers the methods that are chosen, and no other', async () => {
    const { send, runs } = bench({ methods: ['PUT'] });
    for (const method of ['PUT', 'PUT', 'POST', 'POST']) await send(post('key', { method }));
    expect(runs.map(({ request }) => request.method)).toEqual(['PUT', 'POST', 'POST']);
  });

  it('tells an empty body from another', async () => {
    const { send } = bench();
    await send(post('key', { body: '' }));
    expect(statusOf(await send(post('key', { body: '' })))).toBe('replayed');
    expect(statusOf(await send(post('key', { body: '{}' })))).toBe('mismatch');
  });

  it('differs: the key is in the header of the draft alone', async () => {
    const { send } = bench({ required: false });
    expect(statusOf(await send(post(undefined, { headers: { 'x-request-id': 'key' } })))).toBeNull();
  });

  it('keeps the same key on two routes apart', async () => {
    const store = createMemoryStore();
    const text = bench({ store, route: '/text', handler: () => new Response('text') });
    const json = bench({ store, route: '/json', handler: () => new Response('json') });
    expect(await (await text.send(post('key', { path: '/text' }))).text()).toBe('text');
    expect(await (await json.send(post('key', { path: '/json' }))).text()).toBe('json');
  });

  it('compares what a function of the user’s chooses', async () => {
    const { send } = bench({ fingerprint: (_, request) => request.method });
    await send(post('key', { body: '1' }));
    expect(statusOf(await send(post('key', { body: '2' })))).toBe('replayed');
  });

  it('gives the handler the key', async () => {
    const { send } = bench({ handler: (_, { requestKey }) => new Response(requestKey) });
    expect(await (await send(post('my-key-123'))).text()).toBe('my-key-123');
  });

  it('differs: a prefix is no caller, and the caller is never left to a header by default', async () => {
    const { send, runs } = bench({ principal: (request) => request.headers.get('x-tenant-id') ?? '' });
    await send(post('key', { headers: { 'x-tenant-id': 'a' } }));
    await send(post('key', { headers: { 'x-tenant-id': 'b' } }));
    expect((await send(post('key'))).status).toBe(401);
    expect(runs).toHaveLength(2);
  });
});

describe('As nestarc/idempotency', () => {
  it.each(['', '   ', 'first,second', 'first\tsecond'])(
    'refuses the header %j, also where a key is optional',
    async (key) => {
      const { send, runs } = bench({ required: false });
      expect((await send(post(key))).status).toBe(400);
      expect(runs).toEqual([]);
    },
  );

  it('accepts 255 characters', async () => {
    const { send } = bench();
    await send(post('a'.repeat(255)));
    expect(statusOf(await send(post('a'.repeat(255))))).toBe('replayed');
  });

  it('asks who sends a request before each replay', async () => {
    let isRevoked = false;
    const { send, runs } = bench({
      principal: () => {
        if (isRevoked) throw new Error('forbidden');
        return ['tenant-a', 'alice'];
      },
    });
    await send(post('key'));
    isRevoked = true;
    await expect(send(post('key'))).rejects.toThrow('forbidden');
    isRevoked = false;
    expect(statusOf(await send(post('key')))).toBe('replayed');
    expect(runs).toHaveLength(1);
  });

  it('isolates callers, also where they send another body', async () => {
    let caller = ['tenant-a', 'alice'];
    const { send, runs } = bench({ principal: () => caller });
    await send(post('key'));
    for (caller of [
      ['tenant-a', 'bob'],
      ['tenant-b', 'alice'],
      ['tenant-aa', 'lice'],
    ]) {
      expect((await send(post('key', { body: 'other' }))).status).toBe(201);
    }
    expect(runs).toHaveLength(4);
  });

  it('answers an empty 204 again as an empty 204', async () => {
    const { send } = bench({ handler: () => new Response(null, { status: 204 }) });
    await send(post('key'));
    const retry = await send(post('key'));
    expect([retry.status, await retry.text(), statusOf(retry)]).toEqual([204, '', 'replayed']);
  });

  it('differs: the order of JSON members counts, unless a function reads the body as JSON', async () => {
    const [one, other] = ['{"a":1,"b":2}', '{"b":2,"a":1}'];
    const raw = bench();
    await raw.send(post('key', { body: one }));
    expect(statusOf(await raw.send(post('key', { body: other })))).toBe('mismatch');
    const parsed = bench({ fingerprint: (body) => JSON.parse(body.toString()) as unknown });
    await parsed.send(post('key', { body: one }));
    expect(statusOf(await parsed.send(post('key', { body: other })))).toBe('replayed');
  });

  it('differs: bytes that are no text are stored too', async () => {
    const { send, runs } = bench({ handler: () => new Response(new Uint8Array([0, 255])) });
    await send(post('key'));
    const replay = await send(post('key'));
    expect([statusOf(replay), [...Buffer.from(await replay.arrayBuffer())], runs.length]).toEqual([
      'replayed',
      [0, 255],
      1,
    ]);
  });

  it('differs: a quoted and a bare key are the same key', async () => {
    const { send, runs } = bench();
    await send(post('literal-key'));
    await send(post('"literal-key"'));
    expect(runs).toHaveLength(1);
  });

  it('differs: a key for another resource of the route, or another query, is refused', async () => {
    const { send, runs } = bench({ route: '/payments/:id/capture' });
    await send(post('key', { path: '/payments/pay-1/capture' }));
    expect((await send(post('key', { path: '/payments/pay-2/capture' }))).status).toBe(422);
    expect((await send(post('key', { path: '/payments/pay-1/capture?view=two' }))).status).toBe(422);
    expect(runs).toHaveLength(1);
  });

  it('differs: X- headers are replayed where they are chosen', async () => {
    const handler = () => new Response('ok', { headers: { 'x-request-id': 'r-1' } });
    const byDefault = bench({ handler });
    await byDefault.send(post('key'));
    expect((await byDefault.send(post('key'))).headers.has('x-request-id')).toBe(false);
    const chosen = bench({ handler, keptHeaders: ['x-request-id'] });
    await chosen.send(post('key'));
    expect((await chosen.send(post('key'))).headers.get('x-request-id')).toBe('r-1');
  });

  it('differs: after a stream a retry gets the same answer, and no conflict without end', async () => {
    const handler = () => new Response('data: 1\n\n', { headers: { 'content-type': 'text/event-stream' } });
    const { send, runs } = bench({ handler });
    expect((await send(post('key'))).status).toBe(500);
    expect(statusOf(await send(post('key')))).toBe('replayed');
    expect(runs).toHaveLength(1);
  });
});
