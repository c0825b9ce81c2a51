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
  onceEachWebhook,
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
  onceEachWebhook({ handleOnce, source: 'github' }, () => undefined);
  // @ts-expect-error -- not said out loud
  onceEachWebhook({ ...base, verify: false }, () => undefined);
  // @ts-expect-error -- it has to say true
  onceEachWebhook({ ...base, verify: () => undefined }, () => undefined);
  onceEachWebhook({ ...base, verify: () => Promise.resolve(true) }, () => undefined);
  onceEachWebhook(
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
  onceEachWebhook({ ...base, source: { header: 'x-id' }, name: 'acme' }, () => undefined);
  onceEachWebhook({ ...base, source: { pointer: '/id' }, name: 'acme' }, () => undefined);
  onceEachWebhook(
    { ...base, source: { id: ({ headers }) => headers['x-id'] }, name: 'acme' },
    () => undefined,
  );
  // @ts-expect-error -- it has none
  onceEachWebhook({ ...base, source: { header: 'x-id' } }, () => undefined);
  // @ts-expect-error -- no known source
  onceEachWebhook({ ...base, source: 'gitlab' }, () => undefined);
});

test('a handler gets unknown, what parse returns, or the output of the schema', () => {
  onceEachWebhook(base, (payload) => {
    expectTypeOf(payload).toBeUnknown();
  });
  onceEachWebhook({ ...base, parse: (body) => Promise.resolve(new URL(body)) }, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<URL>();
  });
  onceEachWebhook({ ...base, parse: (body) => body.split(','), schema: order }, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
  });
  onceEachWebhook({ ...base, handleOnce: {} as HandleOnceWithSchema<typeof order> }, () => undefined);
});

test('an attempt has the headers', () => {
  expectTypeOf<WebhookAttempt>().toExtend<Attempt>();
  onceEachWebhook(base, (_, attempt) => {
    expectTypeOf(attempt.headers).toEqualTypeOf<Readonly<Record<string, string>>>();
  });
});

test('what was done has the answer, and the outcome with its result', () => {
  const handle = onceEachWebhook({ ...base, schema: order }, async ({ amount }) =>
    Promise.resolve({ amount }),
  );
  expectTypeOf(handle).parameter(0).toEqualTypeOf<WebhookDelivery>();
  expectTypeOf(handle).returns.resolves.toEqualTypeOf<HandledWebhook<{ amount: number }>>();
  expectTypeOf<HandledWebhook<number>['outcome']>().toEqualTypeOf<Outcome<number> | undefined>();
  expectTypeOf<HandledWebhook<number>['answer']>().toEqualTypeOf<WebhookAnswer>();
  expectTypeOf(handle.counts().replayed).toEqualTypeOf<number | undefined>();
});

test('with inTransaction a handler gets the client’s own transaction, whatever the source is', () => {
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  const options = { ...base, handleOnce: transactional, inTransaction: true, schema: order } as const;
  const handle = onceEachWebhook(options, ({ amount }, attempt, tx) => {
    expectTypeOf(attempt).toEqualTypeOf<WebhookAttempt>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
    return amount;
  });
  expectTypeOf(handle).returns.resolves.toEqualTypeOf<HandledWebhook<number>>();
  onceEachWebhook({ ...options, source: { header: 'x-id' }, name: 'acme' }, () => undefined);
  // @ts-expect-error -- it has no name
  onceEachWebhook({ ...options, source: { header: 'x-id' } }, () => undefined);
  // @ts-expect-error -- without it there is no third argument
  onceEachWebhook(base, (...given: [unknown, WebhookAttempt, postgres.Sql]) => given.length);
});

test('an option can be undefined', () => {
  const left = {
    name: undefined,
    schema: undefined,
    parse: undefined,
    volatile: undefined,
    onEvent: undefined,
  };
  const handle = onceEachWebhook({ ...base, ...left, inTransaction: undefined }, () => undefined);
  void handle({ headers: {}, body: '' }, { signal: undefined, waitMs: undefined });
});

test('an event has its type, and never a body', () => {
  onceEachWebhook(
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
  onceEachWebhook(
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
