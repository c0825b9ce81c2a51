import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { webhookId, onceEachWebhook } from 'handle-once/webhook';
import { describe, expect, it, test } from 'vitest';
import { issuesOf } from '../support/issues-of.ts';

const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
const right = { handleOnce, source: 'github', name: 'acme', verify: () => true };
const handler = (): undefined => undefined;
const wrap = (options: unknown): unknown => onceEachWebhook(options as never, handler);

describe('onceEachWebhook', () => {
  it.each([
    {},
    { verify: 'already-verified' },
    { source: 'standard-webhooks', name: 'acme.eu-1_b' },
    { source: { header: 'X-Delivery-Id' }, name: 'acme' },
    { source: { pointer: '/data/id' }, name: 'acme', ignoredFields: ['/attempt', '/sent~1at'] },
    { source: { id: () => '1' }, name: 'acme', ignoredFields: [] },
  ])('accepts %j', (options) => {
    expect(issuesOf(() => wrap({ ...right, ...options }))).toEqual([]);
  });

  it.each<[field: string, value: unknown, message: RegExp]>([
    ['handleOnce', undefined, /createHandleOnce/],
    ['handleOnce', () => undefined, /createHandleOnce/],
    ['source', undefined, /must be 'github', .*{ header: .* or { id:/],
    ['source', 'gitlab', /must be 'github'/],
    ['source', 'constructor', /must be 'github'/],
    ['source', {}, /must be 'github'/],
    ['source.header', { header: '' }, /name of a header/],
    ['source.header', { header: 'x delivery' }, /name of a header/],
    ['source', { header: 'x', pointer: '/id' }, /must be 'github'/],
    ['source.pointer', { pointer: 'id' }, /JSON pointer/],
    ['source', { id: 'x' }, /must be 'github'/],
    ['name', '', /1 to 100 letters/],
    ['name', 'a/b', /1 to 100 letters/],
    ['name', 'x'.repeat(101), /1 to 100 letters/],
    ['name', 7, /1 to 100 letters/],
    ['verify', undefined, /function .* checks the signature .*'already-verified'.* anyone can claim/],
    ['verify', true, /'already-verified'/],
    ['verify', 'none', /'already-verified'/],
    ['schema', {}, /Standard Schema/],
    ['parse', 'json', /function of the body/],
    ['ignoredFields', '/attempt', /list of JSON pointers/],
    ['fingerprint', true, /false or a function/],
    ['onEvent', {}, /function of one event/],
    ['secret', 'whsec_', /not an option/],
  ])('refuses %s: %s', (field, value, message) => {
    const [option = ''] = field.split('.');
    const issues = issuesOf(() => wrap({ ...right, [option]: value }));
    expect(issues).toEqual([{ field, message: expect.stringMatching(message) as string }]);
  });

  it('names the wrong pointer of a list', () => {
    expect(issuesOf(() => wrap({ ...right, ignoredFields: ['/attempt', 'id'] }))).toEqual([
      { field: 'ignoredFields.1', message: 'must be a JSON pointer such as /data/id' },
    ]);
  });

  it('refuses fingerprint and ignoredFields together', () => {
    const issues = issuesOf(() => wrap({ ...right, fingerprint: false, ignoredFields: [] }));
    expect(issues).toMatchObject([{ field: 'ignoredFields' }]);
  });

  it('refuses a sender of the user’s own without a name', () => {
    expect(issuesOf(() => wrap({ ...right, source: { header: 'x-id' }, name: undefined }))).toEqual([
      { field: 'name', message: expect.stringContaining('is missing') as string },
    ]);
  });

  it.each([{ name: 'n'.repeat(100) }, { name: undefined }])(
    'names the name where the scope is too long',
    (of) => {
      const long = createHandleOnce({ store: createMemoryStore(), scope: 's'.repeat(500) });
      expect(issuesOf(() => wrap({ ...right, ...of, handleOnce: long }))).toEqual([
        { field: 'name', message: expect.stringMatching(/at most 512 characters, got (51|60)/) as string },
      ]);
    },
  );

  it('names every wrong field at once', () => {
    const fields = issuesOf(() => wrap({ source: 'x', parse: 1 })).map(({ field }) => field);
    expect(fields.sort()).toEqual(['handleOnce', 'parse', 'source', 'verify']);
  });

  it.each([undefined, null, 'github'])('refuses %s in place of options', (options) => {
    expect(issuesOf(() => wrap(options))).toEqual([{ field: '', message: 'the options must be an object' }]);
  });

  it('refuses what is no signal', async () => {
    const handleWebhook = onceEachWebhook(right as never, handler);
    const call = handleWebhook({ headers: {}, body: '' }, { signal: 1 as never });
    await expect(call).rejects.toThrow(/signal: must be an AbortSignal/);
  });
});

test('webhookId refuses what is no source', () => {
  const refused = issuesOf(() => webhookId({ header: 7 } as never, { headers: {}, body: '{}' }));
  expect(refused).toMatchObject([
    { field: 'source', message: expect.stringContaining("'github'") as string },
  ]);
  const issues = issuesOf(() => webhookId({ pointer: 'id' }, { headers: {}, body: '{}' }));
  expect(issues).toEqual([{ field: 'source.pointer', message: 'must be a JSON pointer such as /data/id' }]);
});
