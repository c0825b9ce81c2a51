import type { StepAttempt } from 'handle-once';
import postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import {
  type AnyHandleOnce,
  type Attempt,
  createHandleOnce,
  type HandleOnce,
  type HandleOnceWithSchema,
  type Outcome,
} from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';

interface Order {
  readonly id: string;
}

declare const order: Order;
const store = createMemoryStore();
const schema = z.object({ at: z.string().transform((text) => new Date(text)) });
interface Parsed {
  at: Date;
}

test('a plain handler gets the payload and an attempt, and its result is the outcome’s', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  expectTypeOf(handleOnce).toEqualTypeOf<HandleOnce>();
  const outcome = handleOnce('key', order, (payload, attempt) => {
    expectTypeOf(payload).toEqualTypeOf<Order>();
    expectTypeOf(attempt).toEqualTypeOf<StepAttempt>();
    return 5;
  });
  expectTypeOf(outcome).toEqualTypeOf<Promise<Outcome<number>>>();
});

test('an asynchronous handler’s result is unwrapped', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  expectTypeOf(handleOnce('key', order, async () => Promise.resolve(order))).toEqualTypeOf<
    Promise<Outcome<Order>>
  >();
  expectTypeOf(handleOnce('key', order, () => undefined)).toEqualTypeOf<Promise<Outcome<undefined>>>();
});

test('with a signal or a time limit the payload stays what it was', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  void handleOnce(
    'key',
    order,
    (payload) => {
      expectTypeOf(payload).toEqualTypeOf<Order>();
    },
    { signal: AbortSignal.timeout(1), timeoutMs: 5 },
  );
});

test('a schema of the instance gives the handler its output, whatever the payload is', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a', schema });
  expectTypeOf(handleOnce).toEqualTypeOf<HandleOnceWithSchema<typeof schema>>();
  const outcome = handleOnce('key', 'body', (payload) => {
    expectTypeOf(payload).toEqualTypeOf<Parsed>();
    return payload.at.getTime();
  });
  expectTypeOf(outcome).toEqualTypeOf<Promise<Outcome<number>>>();
});

test('a schema of the instance, with parse before it', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a', schema });
  void handleOnce(
    'key',
    'body',
    (payload) => {
      expectTypeOf(payload).toEqualTypeOf<Parsed>();
    },
    { parse: (body: string): unknown => JSON.parse(body) },
  );
});

test('a schema of the call gives the handler its output', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  const outcome = handleOnce('key', order, ({ at }) => at, { schema });
  expectTypeOf(outcome).toEqualTypeOf<Promise<Outcome<Date>>>();
});

test('parse gives the handler what it returns', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  void handleOnce(
    'key',
    'body',
    (payload) => {
      expectTypeOf(payload).toEqualTypeOf<number>();
    },
    { parse: (body: string) => body.length },
  );
});

test('parse gets the payload', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  void handleOnce('key', 'body', () => 1, {
    parse: (body) => {
      expectTypeOf(body).toEqualTypeOf<string>();
    },
  });
});

test('an asynchronous parse is unwrapped', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  void handleOnce(
    'key',
    'body',
    (payload) => {
      expectTypeOf(payload).toEqualTypeOf<Order>();
    },
    { parse: () => Promise.resolve(order) },
  );
});

test('parse and then a schema: the handler gets the output of the schema', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  const outcome = handleOnce('key', 'body', ({ at }) => at, {
    parse: (body: string): unknown => JSON.parse(body),
    schema,
  });
  expectTypeOf(outcome).toEqualTypeOf<Promise<Outcome<Date>>>();
});

test('a fingerprint function of a call gets the payload, and one of the instance gets anything', () => {
  const handleOnce = createHandleOnce({
    store,
    scope: 'a',
    fingerprint: (payload) => {
      expectTypeOf(payload).toBeUnknown();
    },
  });
  void handleOnce('key', order, () => 1, {
    fingerprint: (payload) => {
      expectTypeOf(payload).toEqualTypeOf<Order>();
      return payload.id;
    },
  });
  void handleOnce('key', 'body', ({ at }) => at, { fingerprint: (body) => body.length, schema });
  void handleOnce('key', 'body', (body) => body.length, {
    fingerprint: false,
    parse: (body: string) => body,
  });
  void handleOnce('key', order, (payload) => payload.id, { ignoredFields: ['/sentAt'] as const });
  expectTypeOf(handleOnce.settings.ignoredFields).toEqualTypeOf<readonly string[] | undefined>();
  // @ts-expect-error true says nothing
  void handleOnce('key', order, () => 1, { fingerprint: true });
  // @ts-expect-error a list of pointers
  createHandleOnce({ store, scope: 'a', ignoredFields: '/sentAt' });
  // @ts-expect-error a text is compared, not a number
  void handleOnce('key', 'body', () => 1, { fingerprint: (body: number) => body });
});

test('either kind is what an adapter takes', () => {
  expectTypeOf<HandleOnce>().toExtend<AnyHandleOnce>();
  expectTypeOf<HandleOnceWithSchema<typeof schema>>().toExtend<AnyHandleOnce>();
  expectTypeOf<AnyHandleOnce['close']>().toEqualTypeOf<() => Promise<void>>();
});

test('what is wrong does not compile', () => {
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  // @ts-expect-error an option that does not exist
  createHandleOnce({ store, scope: 'a', lease: 5 });
  // @ts-expect-error a scope is needed
  createHandleOnce({ store });
  // @ts-expect-error not a number of milliseconds
  createHandleOnce({ store, scope: 'a', leaseMs: '30s' });
  // @ts-expect-error a misspelt bound
  createHandleOnce({ store, scope: 'a', backoff: { base: 5 } });
  // @ts-expect-error an option of the call that does not exist
  void handleOnce('key', 'body', () => 1, { timeout: 5 });
  // @ts-expect-error a key is a text
  void handleOnce(5, 'body', () => 1);
  // @ts-expect-error a handler is needed
  void handleOnce('key', 'body');
  // @ts-expect-error parse gets the payload, which is a text
  void handleOnce('key', 'body', () => 1, { parse: (body: number) => body });
  void handleOnce('key', 'body', (_, attempt) => {
    // @ts-expect-error an attempt is read only
    attempt.number = 2;
  });
});

test('a handler in a transaction gets what the client gives as one', () => {
  const handleOnce = createHandleOnce({ sql: postgres(''), scope: 'a' });
  expectTypeOf(handleOnce).toExtend<HandleOnce>();
  const outcome = handleOnce.inTransaction('key', order, (payload, attempt, tx) => {
    expectTypeOf(payload).toEqualTypeOf<Order>();
    expectTypeOf(attempt).toEqualTypeOf<Attempt>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
    return 5;
  });
  expectTypeOf(outcome).toEqualTypeOf<Promise<Outcome<number>>>();
  void handleOnce.inScope('b').inTransaction('key', 'text', (payload, _, tx) => tx`select ${payload}`);
  const withSchema = createHandleOnce({ sql: postgres(''), scope: 'a', schema });
  void withSchema.inTransaction('key', 'text', (payload, _, tx) => {
    expectTypeOf(payload).toEqualTypeOf<Parsed>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
  });
});
