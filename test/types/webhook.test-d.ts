import type { IncomingHttpHeaders } from 'node:http';
import {
  type Attempt,
  type EventError,
  createHandleOnce,
  type HandleOnce,
  type HandleOnceWithSchema,
  type Outcome,
} from 'handle-once';
import {
  type HandledWebhook,
  type ReceivedWebhook,
  webhookId,
  type WebhookAnswer,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEvent,
  wrapWebhook,
} from 'handle-once/webhook';
import postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

declare const handleOnce: HandleOnce;
const base = { handleOnce, source: 'github', verify: 'already-verified' } as const;
const order = z.object({ id: z.string(), amount: z.coerce.number() });

test('a delivery has headers of any kind, and a raw body', () => {
  expectTypeOf<{ headers: Headers; body: string }>().toExtend<WebhookDelivery>();
  expectTypeOf<{ headers: IncomingHttpHeaders; body: Buffer }>().toExtend<WebhookDelivery>();
  expectTypeOf<{ headers: Record<string, string>; body: Uint8Array }>().toExtend<WebhookDelivery>();
  expectTypeOf<{ headers: [string, string][]; body: string }>().toExtend<WebhookDelivery>();
  expectTypeOf<{ headers: Headers; body: { id: string } }>().not.toExtend<WebhookDelivery>();
});

test('verify is asked for', () => {
  // @ts-expect-error -- it is missing
  wrapWebhook({ handleOnce, source: 'github' }, () => undefined);
  // @ts-expect-error -- not said out loud
  wrapWebhook({ ...base, verify: false }, () => undefined);
  // @ts-expect-error -- it has to say true
  wrapWebhook({ ...base, verify: () => undefined }, () => undefined);
  wrapWebhook({ ...base, verify: () => Promise.resolve(true) }, () => undefined);
  wrapWebhook(
    {
      ...base,
      verify: (delivery) => {
        expectTypeOf(delivery).toEqualTypeOf<ReceivedWebhook>();
        expectTypeOf(delivery.body).toEqualTypeOf<Buffer>();
        return delivery.headers['x-hub-signature-256'] !== undefined;
      },
    },
    () => undefined,
  );
});

test('a source of the user’s own has a name', () => {
  wrapWebhook({ ...base, source: { header: 'x-id' }, name: 'acme' }, () => undefined);
  wrapWebhook({ ...base, source: { pointer: '/id' }, name: 'acme' }, () => undefined);
  wrapWebhook({ ...base, source: { id: ({ headers }) => headers['x-id'] }, name: 'acme' }, () => undefined);
  // @ts-expect-error -- it has none
  wrapWebhook({ ...base, source: { header: 'x-id' } }, () => undefined);
  // @ts-expect-error -- nobody's
  wrapWebhook({ ...base, source: 'gitlab' }, () => undefined);
});

test('a handler gets unknown, what parse returns, or the output of the schema', () => {
  wrapWebhook(base, (payload) => {
    expectTypeOf(payload).toBeUnknown();
  });
  wrapWebhook({ ...base, parse: (body) => Promise.resolve(new URL(body)) }, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<URL>();
  });
  wrapWebhook({ ...base, parse: (body) => body.split(','), schema: order }, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
  });
  wrapWebhook({ ...base, handleOnce: {} as HandleOnceWithSchema<typeof order> }, () => undefined);
});

test('an attempt has the headers', () => {
  expectTypeOf<WebhookAttempt>().toExtend<Attempt>();
  wrapWebhook(base, (_, attempt) => {
    expectTypeOf(attempt.headers).toEqualTypeOf<Readonly<Record<string, string>>>();
  });
});

test('what was done has the answer, and the outcome with its result', () => {
  const handle = wrapWebhook({ ...base, schema: order }, async ({ amount }) => Promise.resolve({ amount }));
  expectTypeOf(handle).parameter(0).toEqualTypeOf<WebhookDelivery>();
  expectTypeOf(handle).returns.resolves.toEqualTypeOf<HandledWebhook<{ amount: number }>>();
  expectTypeOf<HandledWebhook<number>['outcome']>().toEqualTypeOf<Outcome<number> | undefined>();
  expectTypeOf<HandledWebhook<number>['answer']>().toEqualTypeOf<WebhookAnswer>();
  expectTypeOf(handle.counts().replayed).toEqualTypeOf<number | undefined>();
});

test('with inTransaction a handler gets the client’s own transaction, whatever the source is', () => {
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  const options = { ...base, handleOnce: transactional, inTransaction: true, schema: order } as const;
  const handle = wrapWebhook(options, ({ amount }, attempt, tx) => {
    expectTypeOf(attempt).toEqualTypeOf<WebhookAttempt>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
    return amount;
  });
  expectTypeOf(handle).returns.resolves.toEqualTypeOf<HandledWebhook<number>>();
  wrapWebhook({ ...options, source: { header: 'x-id' }, name: 'acme' }, () => undefined);
  // @ts-expect-error -- it has no name
  wrapWebhook({ ...options, source: { header: 'x-id' } }, () => undefined);
  // @ts-expect-error -- without it there is no third argument
  wrapWebhook(base, (...given: [unknown, WebhookAttempt, postgres.Sql]) => given.length);
});

test('an option can be undefined', () => {
  const left = {
    name: undefined,
    schema: undefined,
    parse: undefined,
    volatile: undefined,
    onEvent: undefined,
  };
  const handle = wrapWebhook({ ...base, ...left, inTransaction: undefined }, () => undefined);
  void handle({ headers: {}, body: '' }, { signal: undefined, waitMs: undefined });
});

test('an event has its type, and never a body', () => {
  wrapWebhook(
    {
      ...base,
      onEvent: (event) => {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
      },
    },
    () => undefined,
  );
  expectTypeOf<WebhookEvent['error']>().toEqualTypeOf<EventError | undefined>();
  expectTypeOf<WebhookEvent>().not.toHaveProperty('body');
});

test('an id is a text', () => {
  expectTypeOf(webhookId).returns.toBeString();
});

test('a fingerprint function gets the body and the delivery', () => {
  wrapWebhook(
    {
      ...base,
      fingerprint: (body, delivery) => {
        expectTypeOf(body).toEqualTypeOf<Buffer>();
        expectTypeOf(delivery).toEqualTypeOf<ReceivedWebhook>();
      },
    },
    () => undefined,
  );
});
