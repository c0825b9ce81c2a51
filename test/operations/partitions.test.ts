import { readFile } from 'node:fs/promises';
import { createHandleOnce, type DatabaseClient, TerminalError } from 'handle-once';
import { doctor, findRecords, grantsSql, listRecords, maintain } from 'handle-once/operations';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useClient } from '../store/postgres/client.ts';
import { useRole } from '../store/postgres/role.ts';
import { useDatabase } from '../support/database.ts';
import { findingOf } from './support/findings.ts';

const { sql, url } = useDatabase();
const cron = useRole(sql);
const owner = useClient(url, { max: 1 });
const crons = useClient(url, { connection: { role: cron } });

/** The statements of the docs, in their order. */
async function recipe(): Promise<[string, string]> {
  const docs = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const blocks = [...docs.matchAll(/^```sql\n(.*?)^```/gms)].map(([, text = '']) => text);
  const [tables = '', grants = ''] = blocks.filter((text) => text.includes('for n in 0..15'));
  return [tables, grants.replace('billing_cron', cron)];
}

beforeAll(async () => {
  const [tables] = await recipe();
  await owner.unsafe(tables);
  await sql.unsafe(grantsSql({ role: cron, for: 'maintain' }));
});

beforeEach(async () => {
  await sql`delete from handle_once.records`;
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
  const handleOnce = createHandleOnce({ sql, scope: 'billing', backoff: () => 0 });
  const keys = Array.from({ length: 200 }, (_, n) => `k${n % 100}`);
  const ran: string[] = [];
  const outcomes = await Promise.all(
    keys.map((key) => handleOnce(key, 'body', () => ran.push(key), { waitMs: 20_000 })),
  );
  expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['succeeded']));
  expect([ran.length, new Set(ran).size]).toEqual([100, 100]);
  const fail = () => Promise.reject(new TerminalError('no'));
  expect(await handleOnce('bad', 'body', fail)).toMatchObject({ state: 'failed' });
  expect(await handleOnce('bad', 'body', fail)).toMatchObject({ state: 'failed', replayed: true });
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

test('a role that maintains is told of the partitions, and needs the grants of the docs', async () => {
  await expect(maintain({ sql: crons })).rejects.toThrow(
    /lacks a right on table records_0 .*: grant select, update, delete on handle_once\.records_0 to ROLE;$/,
  );
  expect(await findingOf('rights', { sql: crons })).toMatchObject({
    level: 'problem',
    found: expect.stringMatching(
      /nor maintain the tables \(it lacks select, update, delete on partitions of records\)$/,
    ) as string,
    fix: expect.stringContaining('and the same rights on each partition of records') as string,
  });
  const [, grants] = await recipe();
  await sql.unsafe(grants);
  expect(await maintain({ sql: crons })).toMatchObject({ state: 'finished' });
  expect(await findingOf('rights', { sql: crons })).toMatchObject({ level: 'ok' });
});
