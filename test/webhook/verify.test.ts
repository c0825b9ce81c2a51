import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type ReceivedWebhook,
  UnverifiedError,
  type Verify,
  VerifyConfigError,
  type WebhookProvider,
} from 'handle-once/webhook';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, test } from 'vitest';
import { gate } from '../support/gate.ts';
import { bench, githubDelivery } from './support/bench.ts';
import { deliveries, SECRET } from './support/deliveries.ts';
import { toEventError } from '../../src/reporting/event-error.ts';

const standard = new Webhook(SECRET);

function equal(signature: string | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(signature ?? ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const hmac = () => createHmac('sha256', SECRET);

/** As each sender's documentation says to verify, which is not a matter of the adapter. */
const verifiers: Readonly<Record<WebhookProvider, Verify>> = {
  github: ({ headers, body }) =>
    equal(headers['x-hub-signature-256'], `sha256=${hmac().update(body).digest('hex')}`),
  shopify: ({ headers, body }) =>
    equal(headers['x-shopify-hmac-sha256'], hmac().update(body).digest('base64')),
  slack: ({ headers, body }) => {
    const signed = hmac()
      .update(`v0:${headers['x-slack-request-timestamp'] ?? ''}:`)
      .update(body);
    return equal(headers['x-slack-signature'], `v0=${signed.digest('hex')}`);
  },
  'standard-webhooks': ({ headers, body }) => {
    standard.verify(body, headers);
    return true;
  },
  stripe: ({ headers, body }) => {
    const [, time = '', v1] = /^t=(\d+),v1=(.*)$/.exec(headers['stripe-signature'] ?? '') ?? [];
    return equal(v1, hmac().update(`${time}.`).update(body).digest('hex'));
  },
  svix: ({ headers, body }) => {
    const unbranded = Object.entries(headers).map(([name, value]) => [
      name.replace('svix-', 'webhook-'),
      value,
    ]);
    standard.verify(body, Object.fromEntries(unbranded) as Record<string, string>);
    return true;
  },
};

describe.each(Object.keys(verifiers) as WebhookProvider[])('A signed delivery of %s', (source) => {
  const { headers, body, id } = deliveries[source];
  const wrapped = () => bench({ of: { source }, verify: verifiers[source] });

  it('runs once, from text and from bytes', async () => {
    const { handleWebhook, runs, events } = wrapped();
    const first = await handleWebhook({ headers, body });
    const second = await handleWebhook({ headers: new Headers(headers), body: Buffer.from(body) });
    expect(first).toMatchObject({
      answer: { status: 200 },
      outcome: { state: 'succeeded', replayed: false },
    });
    expect(second).toMatchObject({
      answer: { status: 200 },
      outcome: { state: 'succeeded', replayed: true },
    });
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      payload: JSON.parse(body) as unknown,
      attempt: { key: id, scope: `hooks>webhook:${source}`, number: 1 },
    });
    expect(events.map(({ type }) => type)).toEqual(['succeeded', 'replayed']);
  });

  it('is refused when a byte of its body has changed, and leaves the id to the real one', async () => {
    const { handleWebhook, runs } = wrapped();
    const forged = body.replace(/.$/s, ' }');
    const { answer, error, outcome } = await handleWebhook({ headers, body: forged });
    expect(answer).toEqual({ status: 401 });
    expect(error).toBeInstanceOf(UnverifiedError);
    expect(outcome).toBeUndefined();
    expect(runs).toEqual([]);
    expect(await handleWebhook({ headers, body })).toMatchObject({ outcome: { replayed: false } });
  });
});

test.each<[does: string, verify: Verify]>([
  ['returns false', () => false],
  ['resolves with false', () => Promise.resolve(false)],
  [
    'throws',
    () => {
      throw new Error('no match');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no match'))],
  ['returns nothing', () => undefined as never],
  ['returns an object', () => ({ valid: false }) as never],
  ['returns a text', () => 'no' as never],
])('a verify that %s refuses the delivery, and nothing is claimed', async (_, verify) => {
  const { handleWebhook, runs, events, store } = bench({ verify });
  const claims: unknown[] = [];
  const claim = store.claim.bind(store);
  store.claim = (requests, terms) => {
    claims.push(requests);
    return claim(requests, terms);
  };
  const { answer, error } = await handleWebhook(githubDelivery('a'));
  expect(answer).toEqual({ status: 401 });
  expect(error).toMatchObject({ name: 'UnverifiedError', code: 'UNVERIFIED', retriable: false });
  expect([runs, claims]).toEqual([[], []]);
  expect(events).toEqual([
    {
      type: 'unverified',
      scope: 'hooks>webhook:github',
      id: undefined,
      status: 401,
      error: toEventError(error),
    },
  ]);
});

test('a verify that resolves with true lets a delivery through', async () => {
  const { handleWebhook } = bench({ verify: () => Promise.resolve(true) });
  expect(await handleWebhook(githubDelivery('a'))).toMatchObject({ outcome: { state: 'succeeded' } });
});

test('an unverified delivery without an id is unverified: the sender is not told where ids are', async () => {
  const { handleWebhook } = bench({ verify: () => false });
  expect(await handleWebhook({ headers: {}, body: '' })).toMatchObject({ answer: { status: 401 } });
});

test('verify gets the bytes as they came, and the headers by name in lower case', async () => {
  const bytes = Uint8Array.of(0xff, 0xfe, 0x00, 0x7b);
  const seen: unknown[] = [];
  const { handleWebhook } = bench({
    verify: ({ headers, body }) => {
      seen.push([headers, [...body]]);
      return false;
    },
  });
  await handleWebhook({ headers: { 'X-A': '1' }, body: bytes });
  await handleWebhook({ headers: [['X-A', '1']], body: 'é' });
  expect(seen).toEqual([
    [{ 'x-a': '1' }, [...bytes]],
    [{ 'x-a': '1' }, [0xc3, 0xa9]],
  ]);
});

describe('What is verified is what is handled, also when', () => {
  const paid = '{"cents":1}';
  const forge = ({ headers, body }: ReceivedWebhook): void => {
    body.set(Buffer.from('{"cents":9}'));
    Object.assign(headers, { 'x-github-delivery': 'forged', 'x-github-event': 'forged' });
  };

  async function expectPaid({ handleWebhook, runs }: ReturnType<typeof bench>): Promise<void> {
    const headers = { 'x-github-delivery': 'a', 'x-github-event': 'issues' };
    expect(runs).toMatchObject([{ payload: { cents: 1 }, attempt: { key: 'a', headers } }]);
    // The record has the body that was verified, too.
    expect(await handleWebhook(githubDelivery('a', paid))).toMatchObject({ outcome: { replayed: true } });
  }

  it('the caller reuses its buffer while verify runs', async () => {
    const verifying = gate();
    const wrapped = bench({ verify: () => verifying.opened.then(() => true) });
    const body = Buffer.from(paid);
    const handled = wrapped.handleWebhook(githubDelivery('a', body));
    body.set(Buffer.from('{"cents":9}'));
    verifying.open();
    await handled;
    await expectPaid(wrapped);
  });

  it('verify changes what it got', async () => {
    const wrapped = bench({
      verify: (delivery) => {
        forge(delivery);
        return true;
      },
    });
    await wrapped.handleWebhook(githubDelivery('a', Buffer.from(paid)));
    await expectPaid(wrapped);
  });

  it('a function that finds the id changes what it got', async () => {
    const id = (delivery: ReceivedWebhook): string => {
      forge(delivery);
      return 'a';
    };
    const wrapped = bench({ of: { source: { id }, name: 'acme' } });
    await wrapped.handleWebhook(githubDelivery('a', Buffer.from(paid)));
    await expectPaid(wrapped);
  });
});

test.each<[how: string, verify: Verify]>([
  [
    'throws',
    () => {
      throw new VerifyConfigError('WEBHOOK_SECRET is not set');
    },
  ],
  ['rejects with', () => Promise.reject(new VerifyConfigError('WEBHOOK_SECRET is not set'))],
])('a verify that %s a VerifyConfigError is answered 500, and nothing is claimed', async (_, verify) => {
  const { handleWebhook, runs, events } = bench({ verify });
  const { answer, error, outcome } = await handleWebhook(githubDelivery('a'));
  expect([answer, outcome, runs]).toEqual([{ status: 500 }, undefined, []]);
  expect(error).toBeInstanceOf(VerifyConfigError);
  expect(error).toMatchObject({ name: 'VerifyConfigError', code: 'VERIFY_CONFIG', retriable: false });
  const scope = 'hooks>webhook:github';
  expect(events).toEqual([
    { type: 'verify-config', scope, id: undefined, status: 500, error: toEventError(error) },
  ]);
});

test('any other error of verify is answered 401, and the event has it as cause', async () => {
  const cause = Object.assign(new Error('WEBHOOK_SECRET is not set'), { code: 'VERIFY_CONFIG' });
  const { handleWebhook, events } = bench({ verify: () => Promise.reject(cause) });
  expect(await handleWebhook(githubDelivery('a'))).toMatchObject({ answer: { status: 401 } });
  expect(events).toMatchObject([{ type: 'unverified', error: { code: 'UNVERIFIED' } }]);
  const original = events[0]?.error?.original as Error | undefined;
  expect(original?.cause).toBe(cause);
});

test.each([
  ['TypeError', new TypeError('secret')],
  ['SyntaxError', new SyntaxError('secret')],
  ['NonErrorThrown', 'secret' as unknown as Error],
])('a verify that throws is told by the name of what it threw: %s', async (name, thrown) => {
  const { handleWebhook } = bench({
    verify: () => {
      throw thrown;
    },
  });
  const { error } = await handleWebhook(githubDelivery('a'));
  expect(error).toBeInstanceOf(UnverifiedError);
  const { message } = error as Error;
  expect(message).toMatch(
    new RegExp(`verify threw \\(${name}\\)\\. If verify is at fault .* correct verify`),
  );
  expect(message).not.toContain('secret');
});

test('the cause is what verify threw, but for what JSON.parse tells of the body', async () => {
  const cause = new Error('No matching signature found');
  const throws = bench({ verify: () => Promise.reject(cause) });
  expect(await throws.handleWebhook(githubDelivery('a'))).toMatchObject({ error: { cause } });
  const parses = bench({ verify: ({ body }) => Boolean(JSON.parse(body.toString())) });
  const { error } = await parses.handleWebhook(githubDelivery('a', 'secret 1234'));
  expect((error as Error).cause).toBeUndefined();
});
