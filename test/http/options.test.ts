import { createHandleOnce, InvalidOptionsError } from 'handle-once';
import { onceEachRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it } from 'vitest';
import { issuesOf } from '../support/issues-of.ts';
import { post } from './support/bench.ts';

const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'api' });
const right = { handleOnce, route: '/orders', principal: () => 'alice' };
const handler = (): Response => new Response();
const wrap = (options: unknown): unknown => onceEachRequest(options as never, handler);

describe('onceEachRequest', () => {
  it.each([
    {},
    { principal: null },
    { methods: ['PUT', 'DELETE'], required: false, strict: true },
    { waitMs: 5_000, inFlightStatus: 202, retryAfterSeconds: 0 },
    { inFlightStatus: 409, docs: 'http://docs.example.com' },
    { keptHeaders: [], maxRequestBytes: 0 },
    { keptHeaders: ['X-Request-Id', 'location'], docs: 'https://docs.example.com/idempotency' },
    { fingerprint: false },
    { ignoredFields: ['/sentAt'] },
  ])('accepts %j', (options) => {
    expect(issuesOf(() => wrap({ ...right, ...options }))).toEqual([]);
  });

  it.each<[field: string, value: unknown, message: RegExp]>([
    ['handleOnce', undefined, /createHandleOnce/],
    ['route', undefined, /must be the route/],
    ['route', '', /must be the route/],
    ['principal', undefined, /function of the request .* or null .*one caller’s key would answer another/],
    ['principal', 'alice', /function of the request/],
    ['methods', 'POST', /list of methods/],
    ['methods', [], /at least one method/],
    ['methods.0', ['post'], /in capitals/],
    ['methods.0', ['pOST'], /in capitals/],
    ['methods.0', ['POSt'], /in capitals/],
    ['methods.1', ['POST', 5], /in capitals/],
    ['required', 1, /true or false/],
    ['strict', 'yes', /true or false/],
    ['waitMs', -1, /milliseconds from 0/],
    ['inFlightStatus', 200, /202 or 409/],
    ['retryAfterSeconds', 0.5, /seconds from 0/],
    ['keptHeaders', 'location', /list of names of headers/],
    ['keptHeaders.0', ['x y'], /name of a header/],
    ['keptHeaders.1', ['location', 'Set-Cookie'], /is never stored/],
    ['keptHeaders.0', ['authorization'], /is never stored/],
    ['maxRequestBytes', Infinity, /bytes from 0/],
    ['streaming', 'buffer', /not an option/],
    ['docs', '/idempotency', /http or https URL/],
    ['docs', 'ftp://example.com', /http or https URL/],
    ['docs', 'httpx://example.com', /http or https URL/],
    ['docs', 'https://example.com/#keys', /must be a URL without a fragment/],
    ['docs', 'https://example.com/#', /must be a URL without a fragment/],
    ['docs', 5, /http or https URL/],
    ['fingerprint', true, /false or a function/],
    ['ignoredFields', '/sentAt', /list of JSON pointers/],
    ['ignoredFields.1', ['/a', 5], /JSON pointer such as/],
    ['inTransaction', true, /needs a handleOnce made with sql/],
    ['onEvent', {}, /function of one event/],
    ['logger', {}, /logger/],
    ['maxAttempts', 3, /not an option/],
  ])('refuses %s: %j', (field, value, message) => {
    const [option = ''] = field.split('.');
    const issues = issuesOf(() => wrap({ ...right, [option]: value }));
    expect(issues).toEqual([{ field, message: expect.stringMatching(message) as string }]);
  });

  it.each([
    ['https://docs.example.com/größe', 'https://docs.example.com/gr%C3%B6%C3%9Fe'],
    ['https://größe.example.com', 'https://xn--gre-6ka8i.example.com/'],
    [
      'https://docs.example.com/a>; rel="next"\r\nx: y',
      'https://docs.example.com/a%3E;%20rel=%22next%22x:%20y',
    ],
    ['https://docs.example.com/?q=<ä>', 'https://docs.example.com/?q=%3C%C3%A4%3E'],
  ])('encodes docs: %j', async (docs, href) => {
    const answer = await onceEachRequest({ ...right, docs }, handler)(post(undefined));
    expect(answer.headers.get('link')).toBe(`<${href}>; rel="describedby"`);
    expect(await answer.json()).toMatchObject({ type: `${href}#missing-key` });
  });

  it.each([undefined, null, 'http://a', {}, { method: 'POST', url: '/orders', headers: {} }])(
    'refuses %j in place of a request',
    async (request) => {
      const answer = onceEachRequest(right, handler)(request as never);
      await expect(answer).rejects.toThrow(InvalidOptionsError);
      await expect(answer).rejects.toThrow(/request: must be a Request/);
    },
  );

  it('refuses fingerprint and ignoredFields together', () => {
    const issues = issuesOf(() => wrap({ ...right, fingerprint: false, ignoredFields: [] }));
    expect(issues).toMatchObject([{ field: 'ignoredFields' }]);
  });

  it('names the route where the scope is too long', () => {
    const issues = issuesOf(() => wrap({ ...right, route: '/'.repeat(200) }));
    expect(issues).toEqual([
      { field: 'route', message: expect.stringMatching(/at most 512 characters, got \d+/) as string },
    ]);
  });

  it('names every wrong field at once', () => {
    const fields = issuesOf(() => wrap({ strict: 1, docs: 1 })).map(({ field }) => field);
    expect(fields.sort()).toEqual(['docs', 'handleOnce', 'principal', 'route', 'strict']);
  });

  it.each([undefined, null, '/orders'])('refuses %s in place of options', (options) => {
    expect(issuesOf(() => wrap(options))).toEqual([{ field: '', message: 'the options must be an object' }]);
  });
});
