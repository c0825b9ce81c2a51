import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import {
  AbortedError,
  createHandleOnce,
  InvalidKeyError,
  InvalidOptionsError,
  PayloadMismatchError,
  RetryableError,
  TerminalError,
} from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { MissingIdError, type ReceivedWebhook, onceEachWebhook } from 'handle-once/webhook';
import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { flakyStore, isUnreachable } from '../engine/support/flaky-store.ts';
import { gate } from '../support/gate.ts';
import { bench, githubDelivery } from './support/bench.ts';
import { deliveries } from './support/deliveries.ts';
import { toEventError } from '../../src/reporting/event-error.ts';

describe('A delivery', () => {
  it('has its headers in its attempt', async () => {
    const { handleWebhook, runs } = bench();
    await handleWebhook(githubDelivery('a'));
    expect(runs[0]?.attempt.headers).toEqual({ 'x-github-delivery': 'a', 'x-github-event': 'issues' });
    expect(runs[0]?.attempt.childKey('charge')).toMatch(/^[0-9a-f]{64}$/);
    expect(runs[0]?.attempt.signal.aborted).toBe(false);
  });

  it('that failed for good is answered 200, now and when it is repeated', async () => {
    const { handleWebhook, runs, events } = bench({
      handler: () => {
        throw new TerminalError('no such customer');
      },
    });
    const failed = { answer: { status: 200 }, outcome: { state: 'failed', reason: 'terminal' } };
    expect(await handleWebhook(githubDelivery('a'))).toMatchObject(failed);
    expect(await handleWebhook(githubDelivery('a'))).toMatchObject(failed);
    expect(runs).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['failed', 'replayed']);
  });

  it('that is to be tried again is answered 503 with the wait, and runs when it is repeated', async () => {
    const store = createMemoryStore();
    const answers: unknown[] = [new RetryableError('busy', { retryAfterMs: 90_001 }), 'done'];
    const { handleWebhook, events } = bench({
      store,
      handler: () => {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    const { answer, outcome } = await handleWebhook(githubDelivery('a'));
    expect(answer).toEqual({ status: 503, retryAfterSeconds: 91 });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
    expect(await handleWebhook(githubDelivery('a'))).toMatchObject({ answer: { status: 503 } });
    store.advance(90_001);
    expect(await handleWebhook(githubDelivery('a'))).toMatchObject({
      outcome: { result: 'done', attempts: 2 },
    });
    expect(events.map(({ type }) => type)).toEqual(['released', 'released', 'succeeded']);
  });

  it('with another body under the same id is answered 422, and does not run', async () => {
    const { handleWebhook, runs, events } = bench();
    await handleWebhook(githubDelivery('a'));
    const { answer, error } = await handleWebhook(githubDelivery('a', '{"action":"closed"}'));
    expect(answer).toEqual({ status: 422 });
    expect(error).toBeInstanceOf(PayloadMismatchError);
    expect(runs).toHaveLength(1);
    expect(events[1]).toEqual({
      type: 'mismatch',
      scope: 'hooks>webhook:github',
      id: 'a',
      status: 422,
      error: toEventError(error),
    });
  });

  it('without an id is answered 400', async () => {
    const { handleWebhook, runs, events } = bench();
    const { answer, error } = await handleWebhook({ headers: {}, body: '{}' });
    expect(answer).toEqual({ status: 400 });
    expect(error).toBeInstanceOf(MissingIdError);
    expect(runs).toEqual([]);
    expect(events).toMatchObject([{ type: 'missing-id', id: undefined }]);
  });

  it('with an id that cannot be a key is answered 400', async () => {
    const { handleWebhook, events } = bench();
    const { answer, error } = await handleWebhook(githubDelivery('x'.repeat(513)));
    expect(answer).toEqual({ status: 400 });
    expect(error).toBeInstanceOf(InvalidKeyError);
    expect(events).toMatchObject([{ type: 'invalid-key' }]);
  });

  it('is answered 503 while the store is down', async () => {
    const store = flakyStore(createMemoryStore(), { claim: isUnreachable });
    const { handleWebhook, runs, events } = bench({ store });
    const handled = await handleWebhook(githubDelivery('a'));
    expect(handled).toMatchObject({ answer: { status: 503 }, error: { name: 'StoreError' } });
    expect(handled.outcome).toBeUndefined();
    expect(runs).toEqual([]);
    expect(events).toMatchObject([{ type: 'store-error', id: 'a' }]);
  });

  it('is answered 503 when its receiver stops', async () => {
    const { handleWebhook, events } = bench();
    const handled = await handleWebhook(githubDelivery('a'), { signal: AbortSignal.abort() });
    expect(handled).toMatchObject({ answer: { status: 503 } });
    expect(handled.error).toBeInstanceOf(AbortedError);
    expect(events).toMatchObject([{ type: 'aborted' }]);
  });

  it('in flight is answered 503, or waited for', async () => {
    const held = gate();
    const { handleWebhook } = bench({ handler: () => held.opened.then(() => 'done') });
    const first = handleWebhook(githubDelivery('a'));
    await sleep(0);
    const duplicate = await handleWebhook(githubDelivery('a'));
    expect(duplicate).toMatchObject({ answer: { status: 503, retryAfterSeconds: 30 } });
    const patient = handleWebhook(githubDelivery('a'), { waitMs: 20_000 });
    held.open();
    expect(await first).toMatchObject({ outcome: { result: 'done', replayed: false } });
    expect(await patient).toMatchObject({
      answer: { status: 200 },
      outcome: { result: 'done', replayed: true },
    });
  });
});

test('a body that has been parsed is refused, and nothing is claimed', async () => {
  const { handleWebhook, runs } = bench();
  const call = handleWebhook({ headers: { 'x-github-delivery': 'a' }, body: { secret: 1234 } as never });
  await expect(call).rejects.toThrow(InvalidOptionsError);
  expect(runs).toEqual([]);
});

describe('The payload', () => {
  const schema = z.object({ cents: z.int() });

  it('is the body as JSON', async () => {
    const { handleWebhook, runs } = bench();
    await handleWebhook(githubDelivery('a', '{"cents":995}'));
    expect(runs[0]?.payload).toEqual({ cents: 995 });
  });

  it('is what parse makes of the body’s text', async () => {
    const { handleWebhook, runs } = bench({ parse: (body) => new URLSearchParams(body).get('payload') });
    await handleWebhook(githubDelivery('a', Buffer.from('payload=%7B%7D')));
    expect(runs[0]?.payload).toBe('{}');
  });

  it('fails for good when it does not parse or fit, without a word of it in what is told', async () => {
    const store = createMemoryStore();
    const told: unknown[] = [];
    const onEvent = (event: unknown): unknown => told.push(event);
    const handleWebhook = onceEachWebhook(
      {
        handleOnce: createHandleOnce({ store, scope: 'hooks', onEvent }),
        source: 'github',
        verify: 'already-verified',
        schema,
        onEvent,
      },
      ({ cents }) => cents,
    );
    expect(await handleWebhook(githubDelivery('good', '{"cents":995}'))).toMatchObject({
      outcome: { result: 995 },
    });
    for (const body of ['{"cents":"sesame"}', 'sesame', '{"cents":995} sesame']) {
      const handled = await handleWebhook(githubDelivery(`bad ${body.length}`, body));
      expect(handled).toMatchObject({
        answer: { status: 200 },
        outcome: { state: 'failed', reason: 'invalid-payload' },
      });
      told.push(handled);
    }
    expect(inspect(told, { depth: 10 })).not.toContain('sesame');
  });
});

describe('What a redelivery may change', () => {
  const stripe = deliveries.stripe;
  const repeated = stripe.body.replace('"pending_webhooks":2', '"pending_webhooks":1');

  it('is, for Stripe, how many endpoints have yet to take the event', async () => {
    const { handleWebhook, runs } = bench({ of: { source: 'stripe' } });
    await handleWebhook({ headers: stripe.headers, body: stripe.body });
    const again = await handleWebhook({ headers: stripe.headers, body: repeated });
    expect(again).toMatchObject({ answer: { status: 200 }, outcome: { replayed: true } });
    expect(runs).toHaveLength(1);
    expect(runs[0]?.payload).toMatchObject({ pending_webhooks: 2 });
  });

  it('is nothing else', async () => {
    const { handleWebhook } = bench({ of: { source: 'stripe' } });
    await handleWebhook({ headers: {}, body: stripe.body });
    const changed = stripe.body.replace('"livemode":false', '"livemode":true');
    expect(await handleWebhook({ headers: {}, body: changed })).toMatchObject({ answer: { status: 422 } });
  });

  it('can be told', async () => {
    const { handleWebhook } = bench({ ignoredFields: ['/attempts', '/meta/sentAt'] });
    const body = (attempts: number, action: string): string =>
      JSON.stringify({ action, attempts, meta: { sentAt: attempts * 1_000 } });
    await handleWebhook(githubDelivery('a', body(1, 'opened')));
    expect(await handleWebhook(githubDelivery('a', body(2, 'opened')))).toMatchObject({
      answer: { status: 200 },
    });
    expect(await handleWebhook(githubDelivery('a', body(3, 'closed')))).toMatchObject({
      answer: { status: 422 },
    });
  });

  it('can be told by handleOnce, whose word is above what is known of Stripe', async () => {
    const handleOnce = createHandleOnce({
      store: createMemoryStore(),
      scope: 'hooks',
      ignoredFields: ['/type'],
    });
    const { handleWebhook } = bench({ of: { source: 'stripe' }, handleOnce });
    await handleWebhook({ headers: {}, body: stripe.body });
    const retyped = stripe.body.replace('setup_intent.created', 'other');
    expect(await handleWebhook({ headers: {}, body: retyped })).toMatchObject({ answer: { status: 200 } });
    expect(await handleWebhook({ headers: {}, body: repeated })).toMatchObject({ answer: { status: 422 } });
  });

  it('is what a function of the body and the delivery returns, or nothing', async () => {
    const fingerprint = (body: Buffer, { headers }: ReceivedWebhook) => [
      body.length,
      headers['x-github-event'],
    ];
    const chosen = bench({ fingerprint });
    await chosen.handleWebhook(githubDelivery('a', '{"a":1}'));
    expect(await chosen.handleWebhook(githubDelivery('a', '{"a":2}'))).toMatchObject({
      answer: { status: 200 },
    });
    expect(await chosen.handleWebhook(githubDelivery('a', '{}'))).toMatchObject({ answer: { status: 422 } });
    const nothing = bench({ fingerprint: false });
    await nothing.handleWebhook(githubDelivery('a', '1'));
    expect(await nothing.handleWebhook(githubDelivery('a', '2'))).toMatchObject({ answer: { status: 200 } });
  });

  it('refuses a delivery where its function throws', async () => {
    const fingerprint = (): never => {
      throw new Error('no member');
    };
    const { handleWebhook, runs, events } = bench({ fingerprint });
    const handled = await handleWebhook(githubDelivery('a'));
    expect(handled).toMatchObject({ answer: { status: 400 }, error: { code: 'UNHASHABLE_PAYLOAD' } });
    expect(events).toMatchObject([{ type: 'invalid-key', status: 400 }]);
    expect(runs).toEqual([]);
  });

  it('can be told to be nothing, for Stripe too', async () => {
    const { handleWebhook } = bench({ of: { source: 'stripe' }, ignoredFields: [] });
    await handleWebhook({ headers: {}, body: stripe.body });
    expect(await handleWebhook({ headers: {}, body: repeated })).toMatchObject({ answer: { status: 422 } });
  });

  it('matters not where the body is no JSON, which is compared as it is', async () => {
    const { handleWebhook } = bench({ ignoredFields: ['/attempts'], parse: (body) => body });
    await handleWebhook(githubDelivery('a', 'attempts=1'));
    expect(await handleWebhook(githubDelivery('a', 'attempts=1'))).toMatchObject({ answer: { status: 200 } });
    expect(await handleWebhook(githubDelivery('a', 'attempts=2'))).toMatchObject({ answer: { status: 422 } });
  });
});

describe('Two sources that share a handleOnce', () => {
  it('never answer for one another, even where their ids are the same', async () => {
    const store = createMemoryStore();
    const of = { source: { header: 'x-id' } };
    const wrapped = [
      bench({ store, of: { ...of, name: 'acme' } }),
      bench({ store, of: { ...of, name: 'globex' } }),
      bench({ store, of: { source: 'standard-webhooks' } }),
      bench({ store, of: { source: 'standard-webhooks', name: 'initech' } }),
    ];
    const scopes: (string | undefined)[] = [];
    for (const { handleWebhook, runs, events } of wrapped) {
      await handleWebhook({ headers: { 'X-Id': '1', 'Webhook-Id': '1' }, body: '{}' });
      expect(runs).toHaveLength(1);
      scopes.push(runs[0]?.attempt.scope);
      expect(events[0]?.scope).toBe(runs[0]?.attempt.scope);
    }
    const names = ['acme', 'globex', 'standard-webhooks', 'initech'];
    expect(scopes).toEqual(names.map((name) => `hooks>webhook:${name}`));
  });
});

test('counts how often each type of event happened', async () => {
  const { handleWebhook } = bench();
  for (const id of ['a', 'a', 'b']) await handleWebhook(githubDelivery(id));
  await handleWebhook({ headers: {}, body: '' });
  expect(handleWebhook.counts()).toEqual({ succeeded: 2, replayed: 1, 'missing-id': 1 });
});
