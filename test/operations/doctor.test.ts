import { createHandleOnce, InvalidOptionsError, migrate, StoreError } from 'handle-once';
import { doctor, grantsSql, maintain } from 'handle-once/operations';
import postgres from 'postgres';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useClient } from '../store/postgres/client.ts';
import { useRole } from '../store/postgres/role.ts';
import { ALL_MIGRATIONS } from '../migrations/all.ts';
import { findingOf } from './support/findings.ts';

const { sql, url } = useDatabase();
const LATEST = ALL_MIGRATIONS.length;

test('finds nothing in a database as migrate makes it', async () => {
  const findings = await doctor({ sql });
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(findings.find(({ check }) => check === 'rights')?.found).toMatch(
    /^the role \S+ may handle messages, and maintain the tables$/,
  );
  expect(findings.map(({ check }) => check)).toEqual([
    ...['pooler', 'pool-size', 'clock', 'isolation', 'writes'],
    ...['schema-version', 'tables', 'rights', 'row-security', 'publications'],
    ...['storage', 'indexes', 'hot-updates', 'dead-rows', 'horizon', 'maintenance'],
  ]);
});

test('finds that the last walk was long ago, though it left nothing to count and the next is not due', async () => {
  await maintain({ sql });
  await sql`update handle_once.maintenance set live_until = now() - interval '10 days', due_at = now() + interval '20 days'`;
  expect(await findingOf('maintenance', { sql })).toMatchObject({
    level: 'notice',
    found: 'the last walk ended 10 days ago',
  });
  await sql`delete from handle_once.maintenance`;
});

describe('clock', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each([
    [60_000, 'behind'],
    [-60_000, 'ahead of'],
  ])('finds a process whose clock is %d ms ahead', async (aheadMs, says) => {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
    expect(await findingOf('clock', { sql })).toMatchObject({
      level: 'notice',
      found: expect.stringMatching(
        new RegExp(`^the clock of the database is (?:5\\d|60)\\.\\d s ${says} `),
      ) as string,
    });
  });

  test('says nothing of less than a second', async () => {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 500);
    expect(await findingOf('clock', { sql })).toMatchObject({ level: 'ok' });
  });
});

describe('A setting of the session that changes how values are written', () => {
  const odd = useClient(url, { connection: { extra_float_digits: '-15', quote_all_identifiers: true } });

  test('is no finding', async () => {
    const findings = await doctor({ sql: odd });
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  });
});

describe('The session', () => {
  const strict = useClient(url, { connection: { default_transaction_isolation: 'serializable' } });
  const standby = useClient(url, { connection: { default_transaction_read_only: true } });
  const forgetful = useClient(url, { connection: { synchronous_commit: 'off' } });

  test('is found where its default isolation is stricter than read committed', async () => {
    expect(await findingOf('isolation', { sql: strict })).toMatchObject({
      level: 'notice',
      found: expect.stringContaining('the default is serializable') as string,
      fix: expect.stringMatching(
        /`alter role \S+ set default_transaction_isolation = 'read committed'`/,
      ) as string,
    });
  });

  test.each([
    ['it can write nothing', standby, /accepts no writes/],
    ['what it commits does not outlive a crash', forgetful, /synchronous_commit is off/],
  ])('is found where %s', async (_, client, found) => {
    const finding = await findingOf('writes', { sql: client });
    expect(finding.level).toBe('problem');
    expect(finding.found).toMatch(found);
  });
});

describe('pool-size', () => {
  const small = useClient(url, { max: 5 });

  test('finds a pool that handlers in transactions can use up', async () => {
    expect(await findingOf('pool-size', { sql: small, concurrency: 5 })).toMatchObject({
      level: 'notice',
      found: expect.stringContaining('Make the pool at least 7') as string,
    });
    expect(await findingOf('pool-size', { sql: small, concurrency: 4 })).toMatchObject({ level: 'ok' });
  });

  test('is told where it is compared with nothing', async () => {
    expect(await findingOf('pool-size', { sql: small })).toMatchObject({ found: 'at most 5 connections' });
  });
});

describe('schema-version', () => {
  test.each<[what: string, change: number, level: string, fix: RegExp | undefined]>([
    ['that are older', -1, 'problem', /migrate/],
    ['that are as needed', 0, 'ok', undefined],
    ['that are one version newer', 1, 'notice', /upgrade the package/],
    ['that are two versions newer', 2, 'problem', /upgrade the package/],
  ])('judges tables %s', async (_, change, level, fix) => {
    const databaseSchema = `version_${level}_${LATEST + change}`;
    await migrate(sql, { schema: databaseSchema });
    if (change < 0) {
      await sql`delete from ${sql(databaseSchema)}.migrations where version = ${LATEST}`;
      for (const table of ['failures', 'stats', 'workers'])
        await sql`drop table ${sql(databaseSchema)}.${sql(table)}`;
    } else if (change > 0) {
      await sql`insert into ${sql(databaseSchema)}.migrations (version, name) values (${LATEST + change}, 'later')`;
    }
    const finding = await findingOf('schema-version', { sql, databaseSchema });
    expect(finding.level).toBe(level);
    if (fix !== undefined) expect(finding.fix).toMatch(fix);
  });

  test('finds a migration that ran with another content', async () => {
    await migrate(sql, { schema: 'edited' });
    await sql`update edited.migrations set checksum = 'other' where version = ${LATEST}`;
    expect(await findingOf('schema-version', { sql, databaseSchema: 'edited' })).toMatchObject({
      level: 'notice',
      found: expect.stringContaining(
        `${ALL_MIGRATIONS.at(-1)} ran in schema edited with different`,
      ) as string,
    });
  });

  test('finds tables that are missing, and asks nothing else of them', async () => {
    const findings = await doctor({ sql, databaseSchema: 'not_there' });
    expect(findings.at(-1)).toMatchObject({ check: 'schema-version', level: 'problem' });
    expect(findings.filter(({ check }) => check === 'storage')).toEqual([]);
  });
});

describe('rights', () => {
  const stranger = useRole(sql);
  const worker = useRole(sql);
  const cron = useRole(sql);
  const writer = useRole(sql);
  const as = (role: string) => useClient(url, { connection: { role } });
  const strangers = as(stranger);
  const workers = as(worker);
  const crons = as(cron);
  const writers = as(writer);

  test('finds a role that may do nothing, and what it may not check fails no other check', async () => {
    const findings = await doctor({ sql: strangers });
    const rights = findings.find(({ check }) => check === 'rights');
    expect(rights).toMatchObject({ level: 'problem' });
    expect(rights?.found).toContain('select, insert, update on records');
    expect(rights?.fix).toContain(`prints: grant usage on schema "handle_once" to ${stranger}; `);
    expect(rights?.fix).toMatch(/--for maintain` prints$/);
    const unchecked = findings.filter(({ found }) => found.startsWith('not checked: '));
    expect(unchecked.map(({ check, level }) => [check, level])).toEqual([
      ['schema-version', 'notice'],
      ['maintenance', 'notice'],
    ]);
    expect(findings.filter(({ level }) => level === 'ok').map(({ check }) => check)).toContain('dead-rows');
  });

  test('finds what a role that handles messages may not write beside the records', async () => {
    await sql.unsafe(grantsSql({ role: writer }));
    await sql.unsafe(`revoke insert on handle_once.workers from ${writer}`);
    const handleOnce = createHandleOnce({ sql: writers, scope: 'billing', onEvent: () => undefined });
    expect(await handleOnce('k', {}, () => 1)).toMatchObject({ state: 'succeeded' });
    const finding = await findingOf('rights', { sql: writers });
    expect(finding).toMatchObject({
      level: 'notice',
      found: expect.stringMatching(
        `^the role ${writer} may handle messages, but lacks insert on workers: .* not recorded$`,
      ) as string,
    });
    await sql.unsafe(finding.fix?.replace(/.*?: /, '') ?? '');
    expect(await findingOf('rights', { sql: writers })).toMatchObject({ level: 'ok' });
  });

  test('tells a role that may handle messages alone, or maintain the tables alone', async () => {
    await sql.unsafe(grantsSql({ role: worker }));
    await sql.unsafe(grantsSql({ role: cron, for: 'maintain' }));
    expect(await findingOf('rights', { sql: workers })).toMatchObject({
      level: 'ok',
      found: `the role ${worker} may handle messages, but not maintain the tables`,
    });
    expect(await findingOf('maintenance', { sql: workers })).toMatchObject({ level: 'notice' });
    const ofCron = await doctor({ sql: crons });
    expect(ofCron.filter(({ level }) => level !== 'ok')).toEqual([]);
    expect(ofCron.find(({ check }) => check === 'rights')?.found).toBe(
      `the role ${cron} may maintain the tables, but not handle messages`,
    );
  });
});

test('throws where the database cannot be asked', async () => {
  const down = postgres('postgres://127.0.0.1:1/postgres', { connect_timeout: 2 });
  await expect(doctor({ sql: down })).rejects.toThrow(StoreError);
  await down.end();
  await expect(doctor({ sql: down })).rejects.toThrow(/^the client was closed/);
});

test.each([
  ['sql', {}],
  ['databaseSchema', ''],
  ['concurrency', 0],
])('a wrong %s is refused by name', async (field, value) => {
  const refused = doctor({ sql, [field]: value });
  await expect(refused).rejects.toThrow(InvalidOptionsError);
  await expect(refused).rejects.toThrow(`doctor: ${field}: must be`);
});
