import { expect, test } from 'vitest';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { toDatabaseClient } from '../../../src/postgres/sql-client.ts';
import { useDatabase } from '../../support/database.ts';
import { actorOn, ALICE, BOB, HOUR } from '../../../testing/contracts/store/actor.ts';
import { succeeded } from '../../../testing/contracts/store/settlements.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const { sql } = useDatabase();
const client = toDatabaseClient(sql);
const store = createPostgresStore(sql, 'handle_once');

async function claimed() {
  const actor = actorOn(controlledPostgresStore(sql));
  await actor.claim('key', ALICE);
  return actor;
}

const request = { key: 'key', token: ALICE, settlement: succeeded('"done"', HOUR) };

test('a retention begins with the settle, however long its transaction has run', async () => {
  const { scope } = await claimed();
  await store.begin(async (transaction) => {
    await client.in(transaction).execute('select pg_sleep(0.3)');
    await store.settleLast(transaction, [request], scope, 0);
  });
  const [row] = await sql<{ kept_ms: number }[]>`
    select extract(epoch from live_until - began_at)::float8 * 1000 as kept_ms
    from handle_once.records where scope = ${scope}`;
  expect(row?.kept_ms).toBeGreaterThanOrEqual(HOUR + 300);
});

test('a settle whose transaction has been ended writes nothing', async () => {
  const actor = await claimed();
  const settled = store.begin(async (transaction) => {
    await client.in(transaction).execute('rollback');
    throw new Error(await store.settleLast(transaction, [request], actor.scope, 1_000));
  });
  await expect(settled).rejects.toThrow('no-transaction');
  expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'in-flight' });
});

test('a settle that the database refuses throws why', async () => {
  const { scope } = await claimed();
  const settled = store.begin(async (transaction) => {
    await client
      .in(transaction)
      .execute('select 1 / 0')
      .catch(() => undefined);
    return await store.settleLast(transaction, [request], scope, 0);
  });
  await expect(settled).rejects.toMatchObject({
    code: 'STORE',
    message: expect.stringContaining('25P02') as string,
  });
});

test.each([
  [{}, false],
  [{ tellsRollback: true }, true],
  [{ sendsCommit: true }, true],
])('with a client of %j a COMMIT that was a rollback is known: %s', (says, isKnown) => {
  const { tellsRollback: _, sendsCommit: __, ...plain } = client;
  expect(createPostgresStore({ ...plain, ...says }, 'handle_once').tellsRollback).toBe(isKnown);
});
