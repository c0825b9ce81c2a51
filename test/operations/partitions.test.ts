import { readFile } from 'node:fs/promises';
import { createHandleOnce, type DatabaseClient, migrate, TerminalError } from 'handle-once';
import { doctor, findRecords, grantsSql, listRecords, maintain } from 'handle-once/operations';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { takeWalk } from '../../adapters/operations/runner.ts';
import { maintenanceStatements } from '../../adapters/operations/statements/maintenance.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useClient } from '../store/postgres/client.ts';
import { useRole } from '../store/postgres/role.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';
import { findingOf } from './support/findings.ts';

const { sql, url } = useDatabase();
const early = useRole(sql);
const late = useRole(sql);
const keeper = useRole(sql);
const reader = useRole(sql);
const owner = useClient(url, { max: 1 });
const earlies = useClient(url, { connection: { role: early } });
const lates = useClient(url, { connection: { role: late } });

const RECIPE = new URL('../../docs/partition.sql', import.meta.url);

const billing = () => createHandleOnce({ sql, scope: 'billing', backoff: () => 0 });
const refuse = () => Promise.reject(new TerminalError('no'));

/** What each role may do with a table, and with its columns. */
async function rightsOn(table: string): Promise<readonly { grantee: string }[]> {
  return await sql<{ grantee: string }[]>`
    select a.grantee::regrole::text as grantee, a.privilege_type, a.is_grantable, null as of_column
    from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a where c.oid = ${table}::regclass
    union all
    select a.grantee::regrole::text, a.privilege_type, a.is_grantable, t.attname
    from pg_attribute t, aclexplode(t.attacl) a where t.attrelid = ${table}::regclass
    order by 1, 2, 3, 4`;
}

/** A walk that has counted what it has not seen, and goes on once the tables have been replaced. */
async function walkMeanwhile(replaced: Promise<void>) {
  const client = toDatabaseClient(sql) as DatabaseClient;
  const runner = await takeWalk(client, maintenanceStatements('handle_once'), true);
  runner?.from.tally.add([['billing', 'succeeded', '1000', '0', '0']]);
  await runner?.reached('handle_once.records', 1);
  await runner?.leave();
  const isWalking = gate();
  const waiting: DatabaseClient = {
    ...client,
    async query(statement, parameters) {
      if (statement.includes('with expired as')) {
        isWalking.open();
        await replaced;
      }
      return await client.query(statement, parameters);
    },
  };
  const report = maintain({ sql: waiting });
  await isWalking.opened;
  return { report };
}

/** What becomes of the recipe in a schema of a name with capitals, for a role that does not own its tables. */
async function inSchema(schema: string, recipe: string): Promise<unknown> {
  await migrate(sql, { schema });
  await sql.unsafe(`alter table "${schema}".records owner to ${keeper}`);
  const refusal: unknown = await owner
    .unsafe(recipe.replaceAll('handle_once', `"${schema}"`))
    .catch((error: unknown) => error);
  await owner`rollback`;
  return refusal;
}

const before: { refusal?: unknown; named?: unknown; rights?: unknown; report?: unknown } = {};

beforeAll(async () => {
  await sql`create publication everything for all tables`;
  await sql.unsafe(grantsSql({ role: early, for: 'maintain' }));
  await sql`grant select, trigger on handle_once.records to ${sql(reader)} with grant option`;
  await sql`grant update (key, state), references (key) on handle_once.records to ${sql(reader)}`;
  await sql`grant insert (key) on handle_once.records to ${sql(reader)} with grant option`;
  const handleOnce = billing();
  await Promise.all(Array.from({ length: 100 }, (_, n) => handleOnce(`before-${n}`, 'body', () => n)));
  await handleOnce('before-failed', 'body', refuse);
  await handleOnce('before-released', 'body', () => Promise.reject(new Error('no')));
  await handleOnce('before-expired', 'body', () => 1);
  await sql`update handle_once.records set live_until = now() where key in ('before-released', 'before-expired')`;

  const recipe = await readFile(RECIPE, 'utf8');
  await sql`grant usage, create on schema handle_once to ${sql(keeper)}`;
  for (const table of ['records', 'maintenance'])
    await sql`alter table ${sql(`handle_once.${table}`)} owner to ${sql(keeper)}`;
  // The rights of a table that has been made meanwhile would be wider.
  await sql`
    alter default privileges for role ${sql(keeper)} in schema handle_once
    grant select on tables to ${sql(late)}, public`;
  // The role that makes the tables would lack the right itself.
  await sql`alter default privileges for role ${sql(keeper)} revoke update on tables from ${sql(keeper)}`;
  before.rights = await rightsOn('handle_once.records');
  before.refusal = await owner.unsafe(recipe).catch((error: unknown) => error);
  await owner`rollback`;
  before.named = await inSchema('Orders', recipe);
  await owner`set role ${sql(keeper)}`;
  const replaced = gate();
  const { report } = await walkMeanwhile(replaced.opened);
  await owner.unsafe(recipe);
  replaced.open();
  before.report = await report;
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

test('a role that does not own the tables is refused, and the owner stays', async () => {
  expect(before.refusal).toMatchObject({
    message: `handle_once.records belongs to ${keeper}: run this as that role`,
    hint: expect.stringContaining(`-c 'set role ${keeper}' -f`) as string,
  });
  expect(before.named).toMatchObject({
    message: `"Orders".records belongs to ${keeper}: run this as that role`,
  });
  expect(
    await sql`
      select distinct relowner::regrole::text as owner from pg_class
      where oid in (select relid from pg_partition_tree('handle_once.records'))`,
  ).toEqual([{ owner: keeper }]);
});

test('a walk that ran meanwhile stops, and the next one counts from the beginning', async () => {
  expect(before.report).toMatchObject({ state: 'stopped', reason: 'taken-over' });
  const handleOnce = billing();
  for (const key of ['a', 'b', 'c']) await handleOnce(key, 'body', () => 1);
  expect(await maintain({ sql })).toMatchObject({ state: 'finished', records: 3 });
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

test.each(['records', 'records_0', 'records_15'])('each role keeps its rights on %s', async (table) => {
  const rights = await rightsOn(`handle_once.${table}`);
  // The one that was granted later has rights on the whole table alone.
  expect(rights.filter(({ grantee }) => grantee !== late)).toEqual(before.rights);
});

test('a role that maintains keeps its rights, and one that is granted later is told of the partitions', async () => {
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

test('a partition whose rows row level security hides from maintenance is named, by doctor too', async () => {
  await sql`alter table handle_once.records_9 enable row level security`;
  await expect(maintain({ sql: earlies })).rejects.toThrow(/row level security is on for records_9 /);
  expect(await findingOf('row-security', { sql: earlies })).toMatchObject({
    level: 'notice',
    found: expect.stringContaining('for records_9 (select, update, delete)') as string,
  });
  await sql`alter table handle_once.records_9 disable row level security`;
  expect(await findingOf('row-security', { sql: earlies })).toMatchObject({ level: 'ok' });
});

test('partitions of another owner are named: a migration of the table would fail', async () => {
  for (const table of ['records_7', 'records_8'])
    await sql`alter table ${sql(`handle_once.${table}`)} owner to ${sql(reader)}`;
  expect(await findingOf('tables', { sql })).toMatchObject({
    level: 'notice',
    found: expect.stringContaining(
      `records_7, records_8 do not belong to ${keeper}, as records does`,
    ) as string,
    fix: expect.stringContaining(`alter table "handle_once".records_7 owner to ${keeper}`) as string,
  });
  for (const table of ['records_7', 'records_8'])
    await sql`alter table ${sql(`handle_once.${table}`)} owner to ${sql(keeper)}`;
  expect(await findingOf('tables', { sql })).toMatchObject({ level: 'ok' });
});
