import postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';
import { createHandleOnce, migrate } from '../../src/index.ts';
import type { PostgresClient } from '../../src/postgres/postgres-client.ts';

declare const transaction: postgres.TransactionSql;

test('a client of postgres fits, however it is configured', () => {
  const plain = postgres('');
  const typed = postgres('', {
    types: {
      point: {
        to: 600,
        from: [600],
        serialize: (point: { x: number; y: number }) => `(${point.x},${point.y})`,
        parse: (text: string) => ({ x: text.length, y: 0 }),
      },
      bigint: postgres.BigInt,
    },
  });
  const camel = postgres('', { transform: postgres.camel, prepare: false, max: 1 });

  expectTypeOf(plain).toExtend<PostgresClient>();
  expectTypeOf(typed).toExtend<PostgresClient>();
  expectTypeOf(camel).toExtend<PostgresClient>();
  for (const sql of [plain, typed, camel]) {
    createHandleOnce({ sql, scope: 'a' });
    void migrate(sql);
  }
});

test('a transaction does not: a claim must not end with its caller’s rollback', () => {
  expectTypeOf(transaction).not.toExtend<PostgresClient>();
  // @ts-expect-error a transaction is no client
  createHandleOnce({ sql: transaction, scope: 'a' });
  // @ts-expect-error a URL is no client
  createHandleOnce({ sql: 'postgres://127.0.0.1/a', scope: 'a' });
  // @ts-expect-error a transaction is no client
  void migrate(transaction);
});
