import { readFile } from 'node:fs/promises';
import { createHandleOnce, type DatabaseClient, TerminalError } from 'handle-once';
import { doctor, findRecords, grantsSql, listRecords, maintain } from 'handle-once/operations';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useClient } from '../store/postgres/client.ts';
import { useRole } from '../store/postgres/role.ts';
import { useDatabase } from '../support/database.ts';
import { findingOf } from './support/findings.ts';

const { sql, url } = useDatabase();
const early = useRole(sql);
const late = useRole(sql);
const owner = useClient(url, { max: 1 });
const earlies = useClient(url, { connection: { role: early } });
const lates = useClient(url, { connection: { role: late } });

const RECIPE = new URL('../../docs/partition.sql', import.meta.url);

const billing = () => createHandleOnce({ sql, scope: 'billing', backoff: () => 0 });
const refuse = () => Promise.reject(new TerminalError('no'));

beforeAll(async () => {
  await sql.unsafe(grantsSql({ role: early, for: 'maintain' }));
  const handleOnce = billing();
  await Promise.all(Array.from({ length: 100 }, (_, n) => handleOnce(`before-${n}`, 'body', () => n)));
  await handleOnce('before-failed', 'body', refuse);
  await handleOnce('before-released', 'body', () => Promise.reject(new Error('no')));
  await handleOnce('before-expired', 'body', () => 1);
  await sql`update handle_once.records set live_until = now() where key in ('before-released', 'before-expired')`;
  await owner.unsafe(await readFile(RECIPE, 'utf8'));
  await sql.unsafe(grantsSql({ role: late, for: 'maintain' }));
});

afterEach(async () => {
  await sql`delete from handle_once.records`;
});

test('what was on record before is answered from it, and what has expired is kept for the archive', async () => {
  const handleOnce = billing();
  const again = (key: string) => handleOnce(key, 'body', () => 'ran again');
  for (let n = 0; n < 100; n += 1) {
    expect(await again(`before-${n}`)).toMatchObject({ state: 'succeeded', replayed: true, result: n });
  }
  expect(await again('before-failed')).toMatchObject({ state: 'failed', replayed: true });
  expect(await sql`select from handle_once.records where key = 'before-expired'`).toHaveLength(1);
  expect(await again('before-released')).toMatchObject({ state: 'succeeded', attempts: 2 });
});

test('the recipe keeps what doctor looks for, and the empty pages of each partition', async () => {
  const findings = await doctor({ sql });
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  const [smallest] = await sql<{ pages: number; count: number }[]>`
    select min(pg_relation_size(relid) / 8192)::int as pages, count(*)::int as count
    from pg_partition_tree('handle_once.records') where isleaf`;
  expect(smallest?.count).toBe(16);
  expect(smallest?.pages).toBeGreaterThanOrEqual(30);
});

test('messages run once each, are replayed, fail for good, and are tried again', async () => {
  const handleOnce = billing();
  const keys = Array.from({ length: 200 }, (_, n) => `k${n % 100}`);
  const ran: string[] = [];
  const outcomes = await Promise.all(
    keys.map((key) => handleOnce(key, 'body', () => ran.push(key), { waitMs: 20_000 })),
  );
  expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['succeeded']));
  expect([ran.length, new Set(ran).size]).toEqual([100, 100]);
  expect(await handleOnce('bad', 'body', refuse)).toMatchObject({ state: 'failed' });
  expect(await handleOnce('bad', 'body', refuse)).toMatchObject({ state: 'failed', replayed: true });
  await handleOnce('again', 'body', () => Promise.reject(new Error('no')));
  expect(await handleOnce('again', 'body', () => 1)).toMatchObject({ state: 'succeeded', attempts: 2 });
  expect(await handleOnce.inTransaction('t', 'body', () => 1)).toMatchObject({ state: 'succeeded' });
  await sql`update handle_once.records set live_until = now()`;
  expect(await handleOnce('bad', 'body', () => 1)).toMatchObject({ state: 'succeeded', attempts: 1 });
  expect((await listRecords({ sql, limit: 200 })).records).toHaveLength(103);
  expect(await findRecords({ sql, key: 'bad' })).toMatchObject([{ scope: 'billing' }]);
});

test('a record that is purged between the two statements of a claim is made again', async () => {
  const client = toDatabaseClient(sql) as DatabaseClient;
  const purging: DatabaseClient = {
    ...client,
    async query(statement, parameters) {
      if (statement.includes('do update set')) await sql`delete from handle_once.records`;
      return await client.query(statement, parameters);
    },
  };
  const handleOnce = createHandleOnce({ sql: purging, scope: 'billing' });
  await handleOnce('k', 'body', () => 1);
  await sql`update handle_once.records set live_until = now()`;
  expect(await handleOnce('k', 'body', () => 2)).toMatchObject({ result: 2, attempts: 1 });
});

test('a role keeps its rights, and one that is granted later is told of the partitions', async () => {
  expect(await maintain({ sql: earlies })).toMatchObject({ state: 'finished' });
  expect(await findingOf('rights', { sql: earlies })).toMatchObject({ level: 'ok' });
  await expect(maintain({ sql: lates })).rejects.toThrow(
    /lacks a right on table records_0 .*: grant select, update, delete on handle_once\.records_0 to ROLE;$/,
  );
  expect(await findingOf('rights', { sql: lates })).toMatchObject({
    level: 'problem',
    found: expect.stringMatching(
      /nor maintain the tables \(it lacks select, update, delete on partitions of records\)$/,
    ) as string,
    fix: expect.stringContaining('and the same rights on each partition of records') as string,
  });
});
