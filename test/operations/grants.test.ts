import { createHandleOnce, InvalidOptionsError, migrate } from 'handle-once';
import {
  forgetRecord,
  grantsSql,
  findRecords,
  listRecords,
  retryFailed,
  maintain,
  readStatus,
  retryRecord,
  showRecord,
} from 'handle-once/operations';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useRole } from '../store/postgres/role.ts';

const { sql, url } = useDatabase();

/** A client whose sessions have the rights of a role alone. */
function as(role: string): postgres.Sql {
  const client = postgres(url, { connection: { role }, onnotice: () => undefined });
  onTestFinished(() => client.end({ timeout: 5 }));
  return client;
}

describe('A role with the rights to handle', () => {
  const worker = useRole(sql);

  test('can do what a worker does, and neither delete records nor maintain them', async () => {
    await sql.unsafe(grantsSql({ role: worker }));
    const client = as(worker);
    const handleOnce = createHandleOnce({ sql: client, scope: 'billing', maxAttempts: 2, backoff: () => 0 });
    await handleOnce.checkStore();
    expect(await handleOnce('k', 'body', () => 1)).toMatchObject({ state: 'succeeded' });
    expect(await handleOnce('k', 'body', () => 1)).toMatchObject({ replayed: true });
    const fails = () => handleOnce('bad', 'body', () => Promise.reject(new Error('no')));
    expect([await fails(), await fails()]).toMatchObject([{ state: 'pending' }, { state: 'failed' }]);
    expect(await handleOnce.inTransaction('t', 'body', () => 1)).toMatchObject({ state: 'succeeded' });
    await expect(maintain({ sql: client })).rejects.toThrow(
      /lacks a right on table maintenance .*npx handle-once grants ROLE --for maintain prints.*: grant usage on schema "handle_once" to ROLE; grant select, insert, update on "handle_once"\.maintenance to ROLE;$/,
    );
    await expect(forgetRecord({ sql: client, scope: 'billing', key: 'k' })).rejects.toThrow(
      /lacks a right on table records .*; grant select, update, delete on "handle_once"\.records to ROLE;$/,
    );
  });
});

describe('A role with the rights to maintain', () => {
  const cron = useRole(sql);

  test('can do all of handle-once/operations, and fills an archive whose partitions are there', async () => {
    await sql.unsafe(grantsSql({ role: cron, for: 'maintain' }));
    const client = as(cron);
    const one = { sql: client, scope: 'billing', key: 'k' };
    await createHandleOnce({ sql, scope: 'billing' })('k', 'body', () => 1);
    expect(await showRecord(one)).toMatchObject({ phase: 'succeeded' });
    expect((await listRecords({ sql: client })).records).not.toEqual([]);
    expect(await findRecords({ sql: client, key: 'k' })).toHaveLength(1);
    expect(await retryFailed({ sql: client })).toMatchObject({ state: 'unconfirmed' });
    expect(await retryRecord(one)).toMatchObject({ state: 'unchanged' });
    await sql`update handle_once.records set live_until = now()`;
    await expect(maintain({ sql: client, archive: true })).rejects.toThrow(
      /lacks a partition, .*as the owner of the tables, .* for this month only, run: create table .*"archive_\d{4}_\d\d" partition of/,
    );
    await maintain({ sql, archive: true, maxPurged: 1, signal: AbortSignal.abort() });
    expect(await maintain({ sql: client, archive: true })).toMatchObject({ state: 'finished' });
    expect(await readStatus({ sql: client })).toEqual([]);
    expect(await forgetRecord(one)).toEqual({ state: 'absent' });
    expect(await sql`select from handle_once.archive`).not.toEqual([]);
  });
});

describe('A role with the rights to archive', () => {
  const archivist = useRole(sql);
  const databaseSchema = 'archived';

  test('makes the partitions too, and goes on with those of another owner', async () => {
    await migrate(sql, { schema: databaseSchema });
    await maintain({ sql, databaseSchema, archive: true });
    const next = await nextPartition();
    await sql`drop table archived.${sql(next)}`;
    await sql.unsafe(grantsSql({ role: archivist, for: 'archive', databaseSchema }));
    await createHandleOnce({ sql, databaseSchema, scope: 'billing' })('k', 'body', () => 1);
    await sql`update archived.records set live_until = now()`;
    const tables = { sql: as(archivist), databaseSchema };
    expect(await maintain({ ...tables, archive: true })).toMatchObject({ state: 'finished', purged: 1 });
    expect(await sql`select key from archived.archive`).toEqual([{ key: 'k' }]);
    expect(await nextPartition()).toBe(next);
    expect(await readStatus(tables)).toEqual([]);
  });

  test('may neither handle messages, nor change tables that others own', async () => {
    const client = as(archivist);
    const handleOnce = createHandleOnce({ sql: client, databaseSchema, scope: 'billing' });
    await expect(handleOnce('k', 'body', () => 1)).rejects.toThrow(/lacks a right on table records/);
    for (const table of ['records', 'maintenance', 'census', 'failures', 'workers', 'stats', 'migrations']) {
      await expect(client`drop table archived.${client(table)}`).rejects.toThrow(/must be owner/);
    }
    await expect(client`create schema of_its_own`).rejects.toThrow(/permission denied/);
  });

  async function nextPartition(): Promise<string> {
    const [last] = await sql<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'archived.archive'::regclass order by 1 desc limit 1`;
    return last?.name ?? '';
  }
});

describe('A role without any right', () => {
  const stranger = useRole(sql);

  test('is told those of an operator, whatever it asks for', async () => {
    const tables = { sql: as(stranger) };
    const one = { ...tables, scope: 'billing', key: 'k' };
    for (const ask of [
      () => listRecords(tables),
      () => readStatus(tables),
      () => showRecord(one),
      () => retryRecord(one),
      () => forgetRecord(one),
    ]) {
      await expect(ask()).rejects.toThrow(
        /; grant select, update, delete on "handle_once"\.records to ROLE;/,
      );
    }
  });
});

test('names are quoted', () => {
  expect(grantsSql({ role: 'a"b; drop', databaseSchema: 'jobs' })).toBe(
    'grant usage on schema "jobs" to "a""b; drop";\n' +
      'grant select, insert, update on "jobs".records to "a""b; drop";\n' +
      'grant select on "jobs".migrations to "a""b; drop";\n' +
      'grant select, insert, update on "jobs".workers to "a""b; drop";\n' +
      'grant select, insert on "jobs".failures to "a""b; drop";\n' +
      'grant select, insert, update on "jobs".stats to "a""b; drop";\n',
  );
});

test.each([
  ['role', ''],
  ['role', 7],
  ['role', 'a\0'],
  ['role', '\0a'],
  ['role', 'a'.repeat(64)],
  ['for', 'all'],
  ['databaseSchema', ''],
])('a wrong %s is refused by name', (field, value) => {
  expect(() => grantsSql({ role: 'worker', [field]: value })).toThrow(InvalidOptionsError);
  expect(() => grantsSql({ role: 'worker', [field]: value })).toThrow(`grantsSql: ${field}: must be`);
});

test('a role has a name of up to 63 bytes', () => {
  const longest = 'ä'.repeat(31) + 'a';
  expect(grantsSql({ role: longest })).toContain(` to "${longest}";`);
  expect(() => grantsSql({ role: `${longest}a` })).toThrow('at most 63 bytes');
});
