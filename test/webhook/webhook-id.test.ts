import { InvalidOptionsError } from 'handle-once';
import { MissingIdError, webhookId, type WebhookProvider } from 'handle-once/webhook';
import type { IdLocation } from '../../adapters/webhook/sources.ts';
import { describe, expect, it, test } from 'vitest';
import { deliveries, providerNames } from './support/deliveries.ts';

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function messageOf(source: WebhookProvider | IdLocation, delivery: Parameters<typeof webhookId>[1]): string {
  const error = thrownBy(() => webhookId(source, delivery));
  expect(error).toBeInstanceOf(MissingIdError);
  expect(error).toMatchObject({ code: 'MISSING_ID', retriable: false });
  return (error as Error).message;
}

describe.each(providerNames)('A delivery of %s', (provider) => {
  const { headers, body, id } = deliveries[provider];

  it('has its id, in headers of any kind and case, and a body of text or bytes', () => {
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value] as const);
    for (const kind of [headers, lower, upper, new Headers(headers), new Map(upper)]) {
      expect(webhookId(provider, { headers: kind, body })).toBe(id);
    }
    expect(webhookId(provider, { headers, body: Buffer.from(body) })).toBe(id);
    expect(webhookId(provider, { headers, body: new TextEncoder().encode(body) })).toBe(id);
    expect(webhookId(provider, { headers, body: new TextEncoder().encode(`   ${body}`).subarray(3) })).toBe(
      id,
    );
  });

  it('is refused without one, by an error that says where it should be', () => {
    const where = {
      github: 'header x-github-delivery is missing or empty',
      shopify: 'header x-shopify-webhook-id is missing or empty',
      slack: 'no string and no whole number of at most 53 bits at /event_id',
      'standard-webhooks': 'header webhook-id is missing or empty',
      stripe: 'no string and no whole number of at most 53 bits at /id',
      svix: 'header svix-id is missing or empty',
    };
    expect(messageOf(provider, { headers: {}, body: '{}' })).toContain(where[provider]);
  });
});

test('svix-id and webhook-id do not stand in for one another', () => {
  messageOf('svix', deliveries['standard-webhooks']);
  messageOf('standard-webhooks', deliveries.svix);
});

test.each(['svix', 'standard-webhooks'] as const)(
  'of %s must not differ between svix-id and webhook-id: either may have been verified',
  (provider) => {
    const { headers, body, id } = deliveries[provider];
    const both = (svixId: string, webhookId_: string) => ({
      headers: { ...headers, 'svix-id': svixId, 'webhook-id': webhookId_ },
      body,
    });
    expect(webhookId(provider, both(id, id))).toBe(id);
    expect(messageOf(provider, both(id, 'forged'))).toContain('headers svix-id and webhook-id differ');
    expect(messageOf(provider, both('forged', id))).toContain('headers svix-id and webhook-id differ');
  },
);

test('the header of a source may be named in any case, and others may come with it', () => {
  const headers = { 'x-Delivery-id': '1', 'svix-id': '2' };
  expect(webhookId({ header: 'X-Delivery-ID' }, { headers, body: '' })).toBe('1');
});

test('an empty header is none', () => {
  messageOf('github', { headers: { 'x-github-delivery': '' }, body: '' });
});

test('a header may have the name of what every object has', () => {
  messageOf({ header: 'constructor' }, { headers: {}, body: '' });
  expect(webhookId({ header: 'constructor' }, { headers: { constructor: '1' }, body: '' })).toBe('1');
});

describe('An id in the body', () => {
  const at = (pointer: string, body: string): string => webhookId({ pointer }, { headers: {}, body });

  it('is where the pointer points', () => {
    expect(at('/events/1/a~1b/m~0n', '{"events":[{},{"a/b":{"m~n":"x"}}]}')).toBe('x');
  });

  it('may be a whole number, but none that JSON.parse rounds', () => {
    expect(at('/id', '{"id":9007199254740991}')).toBe('9007199254740991');
    messageOf({ pointer: '/id' }, { headers: {}, body: '{"id":9007199254740993}' });
  });

  it.each(['""', '1.5', 'null', 'true', '{}', '["a"]'])('is not %s', (value) => {
    messageOf({ pointer: '/id' }, { headers: {}, body: `{"id":${value}}` });
  });

  it.each(['', 'secret=1234', '{"secret":1234', '\u0000'])('cannot be in %j, which is not JSON', (body) => {
    const error = thrownBy(() => webhookId('stripe', { headers: {}, body })) as Error;
    expect(error.message).toBe('the delivery has no id: its body, where /id would be, is not JSON');
    expect(error.cause).toBeUndefined();
  });
});

describe('An id that a function finds', () => {
  const sample = { headers: { 'X-Topic': 'orders' }, body: '{"secret":"1234"}' };

  it('gets the headers by name in lower case, and the bytes', () => {
    const id = webhookId(
      { id: ({ headers, body }) => `${headers['x-topic'] ?? ''}/${body.byteLength}/${body.toString('hex')}` },
      sample,
    );
    expect(id).toBe(`orders/17/${Buffer.from(sample.body).toString('hex')}`);
  });

  it.each([undefined, null, '', 7, Promise.resolve('late')])('is refused when it is %s', (id) => {
    const what = id instanceof Promise ? 'a promise' : 'no id';
    expect(messageOf({ id: () => id as string }, sample)).toContain(`the id function returned ${what}`);
  });

  it('is refused when the function throws, without what JSON.parse tells of the body', () => {
    const broken = { ...sample, body: 'secret 1234' };
    const error = thrownBy(() =>
      webhookId({ id: ({ body }) => JSON.parse(body.toString()) as string }, broken),
    );
    expect(error).toMatchObject({
      name: 'MissingIdError',
      message: expect.stringContaining('function threw') as string,
    });
    expect((error as Error).cause).toBeUndefined();
    const cause = new Error('no such tenant');
    const find = (): never => {
      throw cause;
    };
    expect(thrownBy(() => webhookId({ id: find }, sample))).toMatchObject({ name: 'MissingIdError', cause });
  });
});

describe('What is no delivery', () => {
  const refusal = (delivery: unknown): string => {
    const error = thrownBy(() => webhookId('github', delivery as never));
    expect(error).toBeInstanceOf(InvalidOptionsError);
    return (error as Error).message;
  };

  it.each([{ secret: 1234 }, ['secret'], 1234, null, undefined, new ArrayBuffer(4)])(
    'is refused when its body is %j, without a word of it',
    (body) => {
      const message = refusal({ headers: {}, body });
      expect(message).toMatch(/^webhookId: body: must be the raw body, as text or bytes/);
      expect(message).not.toContain('1234');
    },
  );

  it('is refused when it has no headers', () => {
    expect(refusal({ headers: ['flat', 'list'], body: '' })).toMatch(/headers: must be Headers/);
    expect(refusal(undefined)).toMatch(/the delivery must be \{ headers, body \}/);
  });
});
