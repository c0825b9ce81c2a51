import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHandleOnce, retention } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-files.ts';
import { gate } from '../support/gate.ts';
import { type Bench, bench, post, seen, statusOf } from './support/bench.ts';

const TABLE = readFileSync(join(root, 'docs/evidence/http-draft.md'), 'utf8');

/** A first request whose handler waits until it is let go. */
async function inFlight(): Promise<Bench & { open: () => void; first: Promise<Response> }> {
  const held = gate();
  const present = bench({ handler: () => held.opened.then(() => new Response('done')) });
  const first = present.send(post('"a"'));
  await expect.poll(() => present.runs.length).toBe(1);
  return { ...present, open: held.open, first };
}

/** The rows of the table in docs/evidence/http-draft.md, by their first cell. */
describe('draft-ietf-httpapi-idempotency-key-header-07', () => {
  it('D1: a key is a String of structured fields', async () => {
    const { send, runs } = bench({ strict: true });
    expect((await send(post('"8e03978e-40d5-43e8-bc93-6894a57f9324"'))).status).toBe(201);
    expect((await send(post('8e03978e-40d5-43e8-bc93-6894a57f9324'))).status).toBe(400);
    expect(runs).toHaveLength(1);
  });

  it('D2: two keys in one request are refused', async () => {
    const { send, runs } = bench();
    const request = post(undefined);
    request.headers.append('idempotency-key', '"a"');
    request.headers.append('idempotency-key', '"a"');
    const response = await send(request);
    expect([response.status, statusOf(response)]).toEqual([400, 'malformed-key']);
    expect(runs).toEqual([]);
  });

  it('D3: a key is not used for another payload', async () => {
    const { send, runs } = bench();
    await send(post('"a"'));
    expect((await send(post('"a"', { body: '{"cents":1}' }))).status).toBe(422);
    expect((await send(post('"a"', { path: '/orders?express=1' }))).status).toBe(422);
    expect(runs).toHaveLength(1);
  });

  it('D4: a key is unique for a caller, a method and a route', async () => {
    const store = createMemoryStore();
    let caller = 'alice';
    const principal = (): string => caller;
    const orders = bench({ store, principal });
    const refunds = bench({ store, principal, route: '/refunds' });
    const statuses = [
      statusOf(await orders.send(post('"a"'))),
      statusOf(await orders.send(post('"a"', { method: 'PATCH' }))),
      statusOf(await refunds.send(post('"a"'))),
    ];
    caller = 'bob';
    statuses.push(statusOf(await orders.send(post('"a"'))));
    expect(statuses).toEqual(['stored', 'stored', 'stored', 'stored']);
    expect(orders.events.map(({ scope }) => scope)).toEqual([
      'api>http:POST%20%2Forders',
      'api>http:PATCH%20%2Forders',
      'api>http:POST%20%2Forders',
    ]);
  });

  it('D5: a key is what the client made, and the server makes none', async () => {
    const { send, runs } = bench({ required: false });
    await send(post('"Order 42"'));
    await send(post('"order 42"'));
    await send(post(undefined));
    await send(post(undefined));
    expect(runs.map(({ attempt }) => attempt.requestKey)).toEqual([
      'Order 42',
      'order 42',
      undefined,
      undefined,
    ]);
  });

  it('D6: a UUID is a key, and a client without one is told to send such a value', async () => {
    const { send } = bench();
    expect((await send(post(`"${randomUUID()}"`))).status).toBe(201);
    expect(await (await send(post(undefined))).json()).toMatchObject({
      detail: expect.stringContaining('UUID') as string,
    });
  });

  it('D7: a key expires when its record does', async () => {
    const store = createMemoryStore();
    const { send, runs } = bench({ store, core: { succeededRetentionMs: 60_000 } });
    await send(post('"a"'));
    store.advance(59_000);
    expect(statusOf(await send(post('"a"')))).toBe('replayed');
    store.advance(2_000);
    expect(statusOf(await send(post('"a"')))).toBe('stored');
    expect(runs).toHaveLength(2);
  });

  it('D8: the fingerprint is of the whole payload, or of what is chosen', async () => {
    const whole = bench();
    await whole.send(post('"a"', { body: '{"a":1,"sentAt":1}' }));
    expect((await whole.send(post('"a"', { body: '{"a":1,"sentAt":2}' }))).status).toBe(422);
    const chosen = bench({ ignoredFields: ['/sentAt'] });
    await chosen.send(post('"a"', { body: '{"a":1,"sentAt":1}' }));
    expect(statusOf(await chosen.send(post('"a"', { body: '{"a":1,"sentAt":2}' })))).toBe('replayed');
  });

  it('D9: errors link to what the server publishes', async () => {
    const docs = 'https://docs.example.com/idempotency';
    const response = await bench({ docs }).send(post(undefined));
    expect(response.headers.get('link')).toBe(`<${docs}>; rel="describedby"`);
    expect(await response.json()).toMatchObject({ type: `${docs}#missing-key` });
  });

  it('D10: a key that is not asked for is no error, and no promise', async () => {
    const { send, runs } = bench({ methods: ['POST'] });
    for (let n = 0; n < 2; n += 1) {
      expect(statusOf(await send(post('"a"', { method: 'PUT' })))).toBeNull();
    }
    expect(runs).toHaveLength(2);
  });

  it('D11: two keys are two operations, whatever their payloads', async () => {
    const { send, runs } = bench();
    for (const key of ['"a"', '"b"']) expect(statusOf(await send(post(key)))).toBe('stored');
    expect(runs).toHaveLength(2);
  });

  it('D12: how long a key is remembered can be read, and published', () => {
    const store = createMemoryStore();
    const { settings } = createHandleOnce({ store, scope: 'api', ...retention.payment });
    expect(settings.succeededRetentionMs).toBe(24 * 3_600_000);
    expect(readFileSync(join(root, 'docs/http.md'), 'utf8')).toContain('`retention.payment` is 24 hours');
  });

  it('D13: a key is in the header Idempotency-Key, and nowhere else', async () => {
    const { send } = bench();
    const elsewhere = { headers: { 'x-idempotency-key': '"a"' }, path: '/orders?idempotency-key=a' };
    expect(statusOf(await send(post(undefined, elsewhere)))).toBe('missing-key');
    const upper = post(undefined, { headers: { 'IDEMPOTENCY-KEY': '"a"' } });
    expect(statusOf(await send(upper))).toBe('stored');
  });

  it('D14: the fingerprint is of path, query and body, and of no header', async () => {
    const { send } = bench();
    await send(post('"a"', { headers: { 'x-request-id': '1' } }));
    expect(statusOf(await send(post('"a"', { headers: { 'x-request-id': '2' } })))).toBe('replayed');
    expect(statusOf(await send(post('"a"', { path: '/orders/' })))).toBe('mismatch');
  });

  it('D15: of requests at once with the same key one runs', async () => {
    const { send, runs } = bench();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(post('"a"'))));
    expect(answers.filter((response) => statusOf(response) === 'stored')).toHaveLength(1);
    expect(runs).toHaveLength(1);
  });

  it('D16: the first request is processed as it would be without a key', async () => {
    const { send, runs } = bench({
      handler: async (request) => new Response(await request.text(), { status: 202 }),
    });
    const response = await send(post('"a"', { body: 'payload' }));
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('payload');
    expect(runs[0]?.request.url).toBe('http://api.test/orders');
  });

  it.each([201, 404])('D17: a retry gets the result of the request that completed: %i', async (status) => {
    const { send, runs } = bench({ handler: () => Response.json({ n: 1 }, { status }) });
    const first = await seen(await send(post('"a"')));
    const retry = await send(post('"a"'));
    expect(statusOf(retry)).toBe('replayed');
    expect(await seen(retry)).toEqual(first);
    expect(first.status).toBe(status);
    expect(runs).toHaveLength(1);
  });

  it('D18: a retry of a request in flight gets a conflict', async () => {
    const { send, runs, open, first } = await inFlight();
    const retry = await send(post('"a"'));
    expect([retry.status, retry.headers.get('retry-after')]).toEqual([409, '1']);
    open();
    expect(await (await first).text()).toBe('done');
    expect(runs).toHaveLength(1);
  });

  it('D19: a request without a key that is required gets 400 with a link', async () => {
    const { send, runs } = bench();
    const response = await send(post(undefined));
    expect([response.status, statusOf(response)]).toEqual([400, 'missing-key']);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('content-language')).toBe('en');
    expect(await response.json()).toMatchObject({
      type: expect.stringMatching(/^https:.*#missing-key$/) as string,
      title: 'Idempotency-Key is missing',
      status: 400,
    });
    expect(runs).toEqual([]);
  });

  it('D20: a key that is used with another payload gets 422 with a link, also while it is in flight', async () => {
    const { send, runs, open, first } = await inFlight();
    const other = await send(post('"a"', { body: 'other' }));
    expect([other.status, statusOf(other)]).toEqual([422, 'mismatch']);
    expect(other.headers.get('link')).toContain('rel="describedby"');
    open();
    await first;
    expect((await send(post('"a"', { body: 'other' }))).status).toBe(422);
    expect(runs).toHaveLength(1);
  });

  it('D21: the conflict is described by a problem', async () => {
    const { send, open, first } = await inFlight();
    const retry = await send(post('"a"'));
    expect(retry.headers.get('content-type')).toBe('application/problem+json');
    expect(retry.headers.get('link')).toContain('rel="describedby"');
    expect(await retry.json()).toMatchObject({
      status: 409,
      title: expect.stringContaining('outstanding') as string,
    });
    open();
    await first;
  });

  it('D22: a request that is sent again without correction fails again, and after a conflict it need not', async () => {
    const { send, open, first } = await inFlight();
    for (let n = 0; n < 2; n += 1) {
      expect((await send(post(undefined))).status).toBe(400);
      expect((await send(post('"a"', { body: 'other' }))).status).toBe(422);
      expect((await send(post('"a"'))).status).toBe(409);
    }
    open();
    await first;
    expect((await send(post('"a"'))).status).toBe(200);
  });

  it.each([401, 403, 429, 500, 502, 503, 504])('D23: an answer %i is the handler’s own', async (status) => {
    const { send, runs } = bench({
      handler: () => new Response('later', { status, headers: { 'retry-after': '7' } }),
    });
    for (let n = 0; n < 2; n += 1) {
      const response = await send(post('"a"'));
      expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([
        status,
        '7',
        'later',
      ]);
    }
    expect(runs).toHaveLength(2);
  });

  it('D24: the format of a key is fixed, and told to who sends another', async () => {
    const { send } = bench();
    expect((await send(post(`"${'k'.repeat(255)}"`))).status).toBe(201);
    expect(await (await send(post(`"${'k'.repeat(256)}"`))).json()).toMatchObject({
      status: 400,
      detail: expect.stringContaining('1 to 255 characters') as string,
    });
  });

  it('D25: a key is validated before anything is looked up', async () => {
    const { send, events } = bench({ principal: () => expect.unreachable(), required: false });
    for (const key of ['', 'a b', 'a,b', 'ä', 'k'.repeat(256)]) {
      expect((await send(post(key))).status).toBe(400);
    }
    expect(events.map(({ type, key }) => [type, key])).toEqual(Array(5).fill(['malformed-key', undefined]));
  });

  it('D26: the key of a record has in it who sent the request', async () => {
    const { send, events } = bench({ principal: () => ['acme', 'alice'] });
    await send(post('"a"'));
    expect(events[0]?.key).toMatch(/^[0-9a-f]{64}:a$/);
  });

  it('has a row in the documentation for each test, and a test for each row', () => {
    const rows = [...TABLE.matchAll(/^\| (D\d+) +\|/gm)].map(([, row]) => row);
    const source = readFileSync(new URL(import.meta.url), 'utf8');
    const tests = [...source.matchAll(/'(D\d+): /g)].map(([, row]) => row);
    expect(rows).toEqual(tests);
    expect(rows).toHaveLength(26);
  });
});
