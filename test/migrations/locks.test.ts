import { createHandleOnce, migrate, migrationSql, StoreError } from 'handle-once';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { migrations } from '../../src/migrations/embedded.generated.ts';
import { migrateLocked } from '../../src/migrations/migrate.ts';
import { renderBootstrap, renderMigration } from '../../src/migrations/render.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useClient } from '../store/postgres/client.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { ALL_MIGRATIONS } from './all.ts';

const { url, sql } = useEmptyDatabase();
const reporter = useClient(url, { max: 1, connection: { application_name: 'nightly report' } });
const impatient = useClient(url, { connection: { lock_timeout: 20 } });
const schema = 'held';

/** Tables of the first migration: the second one locks the records for its index. */
beforeEach(async () => {
  await sql.unsafe(`drop schema if exists ${schema} cascade`);
  await sql.unsafe(renderBootstrap(schema));
  const [first] = migrations;
  if (first !== undefined) await sql.unsafe(renderMigration(first, schema));
});

/** An open transaction that has written a record, until it is ended. */
async function holdRecords(): Promise<{ pid: number; end: () => Promise<unknown> }> {
  await reporter`begin`;
  await reporter`insert into held.records
    (live_until, created_at, token, attempts, owned, state, scope, key, fingerprint)
    values (now(), now(), gen_random_uuid(), 1, true, 'pending', 'other', 'k', '')`;
  const [row] = await reporter<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const end = () => reporter`rollback`;
  onTestFinished(() => end().then(() => undefined));
  return { pid: row?.pid ?? 0, end };
}

/** Whether a session waits for the lock of a table. */
const isWaiting = async (): Promise<boolean> => {
  const found = await sql`
    select from pg_locks join pg_database on oid = database and datname = current_database()
    where locktype = 'relation' and not granted`;
  return found.length > 0;
};

describe('A table that another transaction has locked', () => {
  test('holds migrate up, and no message behind it', async () => {
    const holder = await holdRecords();
    const migrating = migrate(sql, { schema });
    await expect.poll(isWaiting).toBe(true);
    const handleOnce = createHandleOnce({ sql, databaseSchema: schema, scope: 'billing' });
    for (const key of ['a', 'b', 'c']) {
      expect(await handleOnce(key, {}, () => 1)).toMatchObject({ state: 'succeeded' });
      // Also those that come while the next try waits.
      await expect.poll(isWaiting).toBe(true);
    }
    await holder.end();
    expect(await migrating).toMatchObject({ applied: ALL_MIGRATIONS.slice(1) });
  });

  test('is an error in the end, which names who has it', async () => {
    const { pid } = await holdRecords();
    const patience = { lockMs: 250, pauseMs: 10, totalMs: 5_000 };
    const refused = migrateLocked(toDatabaseClient(sql), schema, patience);
    await expect(refused).rejects.toThrow(StoreError);
    await expect(refused).rejects.toThrow(
      `It was blocked by process ${pid} (application 'nightly report', client backend, idle in transaction, its `,
    );
    await expect(refused).rejects.toMatchObject({ retriable: true, mayHaveLanded: false });
    expect(await sql`select version from held.migrations`).toEqual([{ version: 1 }]);
  });

  test('is not named by a client with one connection, which can look at nothing meanwhile', async () => {
    await holdRecords();
    const one = toDatabaseClient(impatient);
    const client = { ...one, begin: one.begin.bind(one), in: one.in.bind(one), maxConnections: 1 };
    const refused = migrateLocked(client, schema, { lockMs: 50, pauseMs: 10, totalMs: 200 });
    await expect(refused).rejects.toThrow(
      /^migrate could not lock a table in schema held .* Look in pg_locks for/,
    );
  });
});

test('the wait for another migrate is not cut by the lock_timeout of the session', async () => {
  const session = await sql.reserve();
  await session`begin`;
  await session`select pg_advisory_xact_lock(hashtextextended(${`handle-once:${schema}`}, 0))`;
  const migrating = migrate(impatient, { schema });
  const waiting = () => sql`
    select virtualtransaction as one
    from pg_locks join pg_database on oid = database and datname = current_database()
    where locktype = 'advisory' and not granted`;
  await expect.poll(waiting).toHaveLength(1);
  const first = await waiting();
  await session`select pg_sleep(0.3)`;
  expect(await waiting()).toEqual(first);
  await session`rollback`;
  session.release();
  expect(await migrating).toMatchObject({ applied: ALL_MIGRATIONS.slice(1) });
});

test('a script waits no longer for a lock than migrate', async () => {
  const { end } = await holdRecords();
  const script = migrationSql({ schema, after: 1 });
  await expect(sql.unsafe(script)).rejects.toMatchObject({ code: '55P03' });
  await end();
  await sql.unsafe(script);
  expect(await migrate(sql, { schema })).toMatchObject({ applied: [] });
});
