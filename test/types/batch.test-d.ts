import type postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import {
  type Attempt,
  type BatchAttempt,
  createHandleOnce,
  type Handled,
  type Outcome,
} from '../../src/index.ts';

declare const sql: postgres.Sql;
const handleOnce = createHandleOnce({ sql, scope: 'a' });
const entries = [{ key: 'order-1', payload: { cents: 995 } }];

test('a handler gets payloads as they were given, and attempts that can fail', () => {
  void handleOnce.batch(entries, (payloads, attempts, ...extra) => {
    expectTypeOf(payloads).toEqualTypeOf<readonly { cents: number }[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt[]>();
    expectTypeOf(extra).toEqualTypeOf<[]>();
  });
});

test('in a transaction it gets the transaction, and throws instead', () => {
  void handleOnce.inTransaction.batch(entries, async (_, attempts, tx) => {
    expectTypeOf(attempts).toEqualTypeOf<readonly Attempt[]>();
    expectTypeOf(tx).toEqualTypeOf<postgres.TransactionSql>();
    await Promise.resolve();
  });
});

test('each answer has the result of its message', () => {
  expectTypeOf(
    handleOnce.batch(entries, (payloads) => payloads.map(({ cents }) => cents)),
  ).resolves.toEqualTypeOf<readonly Handled<number>[]>();
  type Answer = Awaited<ReturnType<typeof handleOnce.batch<{ cents: number }, string>>>[number];
  expectTypeOf<Exclude<Answer, { state: 'refused' }>>().toEqualTypeOf<Outcome<string>>();
});

test('payloads are what the schema or parse gives', () => {
  void handleOnce.batch(
    entries,
    (payloads) => {
      expectTypeOf(payloads).toEqualTypeOf<readonly Date[]>();
    },
    { parse: () => Promise.resolve(new Date()) },
  );
  const withSchema = createHandleOnce({ sql, scope: 'a', schema: z.object({ id: z.string() }) });
  void withSchema.inTransaction.batch(entries, (payloads) => {
    expectTypeOf(payloads).toEqualTypeOf<readonly { id: string }[]>();
  });
});

test('a wrong handler, result or option does not fit', () => {
  // @ts-expect-error one result instead of a list
  void handleOnce.batch(entries, () => 1);
  // @ts-expect-error a single message's handler
  void handleOnce.batch(entries, (payload: { cents: number }) => [payload.cents]);
  // @ts-expect-error it does not wait for other callers
  void handleOnce.batch(entries, () => undefined, { waitMs: 1 });
});
