import { migrate, migrationSql } from 'handle-once';
import { doctor, maintain } from 'handle-once/operations';
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useClient } from '../store/postgres/client.ts';
import { findingOf, statementIn } from './support/findings.ts';

const { sql, url } = useDatabase();
/** One session: it reports its statistics, which the next check reads. */
const one = useClient(url, { max: 1 });

/** The tables in a schema of the calling test's own. */
async function tablesIn(schema: string) {
  await migrate(sql, { schema });
  return { sql: one, databaseSchema: schema };
}

async function fill(client: postgres.Sql, schema: string, count: number): Promise<void> {
  await client`
    insert into ${client(schema)}.records
      (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    select 'billing', n::text, gen_random_uuid(), '', 'pending', true, 1, now() + interval '1 hour', now()
    from generate_series(1, ${count}::int) n`;
}

/** The statements about a table, of those that `sql` prints. */
function statementsAbout(table: string, schema: string): string {
  const statements = migrationSql({ schema }).split(/;$/m);
  return statements.filter((statement) => statement.includes(`"${schema}".${table}`)).join(';');
}

describe('tables', () => {
  test.each<[table: string, check: string, level: string]>([
    ['failures', 'tables', 'notice'],
    ['workers', 'tables', 'notice'],
    ['stats', 'tables', 'notice'],
    ['maintenance', 'tables', 'notice'],
    ['census', 'tables', 'notice'],
    ['archive', 'tables', 'notice'],
    ['records', 'tables', 'problem'],
    ['migrations', 'schema-version', 'problem'],
  ])('names %s where it was dropped, and its fix makes it', async (table, check, level) => {
    const schema = `lost_${table}`;
    const given = await tablesIn(schema);
    await sql`drop table ${sql(schema)}.${sql(table)}`;
    const findings = await doctor(given);
    expect(findings.find((finding) => finding.check === check)).toMatchObject({
      level,
      found: expect.stringContaining(`the schema ${schema} lacks the table ${table}: `) as string,
      fix: expect.stringContaining(
        `of the statements that npx handle-once sql --schema ${schema} prints, run those about ${table}`,
      ) as string,
    });
    // Where messages are handled, the other checks are made: none takes it for a missing right.
    const rights = findings.find((finding) => finding.check === 'rights');
    expect(rights?.level).toBe(level === 'problem' ? undefined : 'ok');
    await sql.unsafe(statementsAbout(table, schema));
    expect((await doctor(given)).filter((finding) => finding.level !== 'ok')).toEqual([]);
  });

  test('names each of several', async () => {
    const given = await tablesIn('lost_two');
    await sql`drop table lost_two.failures, lost_two.workers`;
    expect((await findingOf('tables', given)).found).toMatch(/lacks the tables workers, failures: /);
  });

  test('names what others have lost beside a table that was dropped, as grave as it is', async () => {
    const given = await tablesIn('lost_more');
    await sql`drop table lost_more.failures`;
    await sql`alter table lost_more.records drop column error`;
    const { level, found, fix } = await findingOf('tables', given);
    expect(level).toBe('problem');
    expect(found).toMatch(
      /lacks the table failures: .*; and in schema lost_more the table records lacks the column error/,
    );
    expect(fix).toMatch(/run those about failures.*; and add the column/);
    await sql`alter table lost_more.stats drop column count`;
    await sql`drop table lost_more.migrations`;
    expect(await findingOf('schema-version', given)).toMatchObject({
      level: 'problem',
      found: expect.stringMatching(
        /tables migrations, failures: .* lacks the column error; .* stats lacks the column count/,
      ) as string,
    });
  });

  test('names a partition that was detached, until it is attached again', async () => {
    const given = await tablesIn('detached');
    await sql.unsafe(`
      alter table detached.records rename to plain;
      create table detached.records (like detached.plain including defaults, primary key (scope, key))
        partition by hash (scope, key)`);
    expect((await findingOf('tables', given)).found).toMatch(/no partition for \(modulus 1, remainder 0\): /);
    for (const [name, bound] of ['2, remainder 0', '4, remainder 1', '4, remainder 3'].entries()) {
      await sql.unsafe(
        `create table detached.part_${name} partition of detached.records for values with (modulus ${bound})`,
      );
    }
    expect(await findingOf('tables', given)).toMatchObject({ level: 'ok' });
    await sql`alter table detached.records detach partition detached.part_0`;
    const finding = await findingOf('tables', given);
    expect(finding).toMatchObject({
      level: 'problem',
      found: expect.stringContaining(
        'has no partition for (modulus 4, remainder 0), (modulus 4, remainder 2): no message there is claimed',
      ) as string,
    });
    await sql`alter table detached.records detach partition detached.part_2`;
    const { fix } = await findingOf('tables', given);
    const [attach = ''] = /alter table .* remainder \d+\)/.exec(fix ?? '') ?? [];
    expect(attach).toBe(
      'alter table "detached".records attach partition NAME for values with (modulus 4, remainder 0)',
    );
  });

  test.each([2, 0])(
    'whose rows in migrations are lost are not to be migrated (%i are left)',
    async (left) => {
      const schema = `rows_${left}`;
      const given = await tablesIn(schema);
      await sql`delete from ${sql(schema)}.migrations where version > ${left}`;
      const says = new RegExp(`^schema ${schema} has tables that are not listed .*0003_history\\.sql`);
      expect(await findingOf('schema-version', given)).toMatchObject({
        level: 'problem',
        found: expect.stringMatching(says) as string,
        fix: expect.stringContaining(
          `npx handle-once sql --schema ${schema} --after ${left} prints`,
        ) as string,
      });
      await expect(maintain(given)).rejects.toThrow(says);
    },
  );
});

describe('storage', () => {
  test('finds options that were changed, and its fix corrects them', async () => {
    const tables = await tablesIn('storage');
    await sql`alter table storage.records set (fillfactor = 85)`;
    await sql`alter table storage.records reset (vacuum_truncate)`;
    const finding = await findingOf('storage', tables);
    expect(finding).toMatchObject({
      level: 'notice',
      found: expect.stringContaining('storage.records has fillfactor 85 and vacuum_truncate on') as string,
    });
    await sql.unsafe(statementIn(finding));
    expect(await findingOf('storage', tables)).toMatchObject({ level: 'ok' });
  });

  test('looks at the leaves of a partitioned table', async () => {
    const tables = await tablesIn('parted');
    await sql.unsafe(`
      alter table parted.records rename to plain;
      create table parted.records (like parted.plain including defaults, primary key (scope, key))
        partition by hash (scope, key);
      create table parted.first partition of parted.records for values with (modulus 2, remainder 0)
        with (fillfactor = 50, vacuum_truncate = off);
      create table parted.second partition of parted.records for values with (modulus 2, remainder 1)`);
    expect(await findingOf('storage', tables)).toMatchObject({
      level: 'notice',
      found: expect.stringMatching(/^parted\.second has fillfactor 100 and vacuum_truncate on: /) as string,
    });
    expect(await findingOf('indexes', tables)).toMatchObject({ level: 'ok' });
    expect(await findingOf('hot-updates', tables)).toMatchObject({ level: 'ok' });
  });
});

describe('indexes', () => {
  test('finds one that the migrations did not make, and its fix drops it', async () => {
    const tables = await tablesIn('indexes');
    await sql`create index of_mine on indexes.records (state)`;
    const finding = await findingOf('indexes', tables);
    expect(finding).toMatchObject({
      level: 'notice',
      found: expect.stringContaining('handle-once did not create indexes.of_mine:') as string,
    });
    await sql.unsafe(statementIn(finding));
    expect(await findingOf('indexes', tables)).toMatchObject({ level: 'ok' });
  });
});

describe('hot-updates', () => {
  test('finds updates that write every index again', async () => {
    const tables = await tablesIn('hot');
    await fill(one, 'hot', 2_000);
    await one`create index of_state on hot.records (state)`;
    await one`update hot.records set state = 'succeeded', owned = false`;
    await expect
      .poll(() => findingOf('hot-updates', tables))
      .toMatchObject({
        level: 'notice',
        found: expect.stringMatching(/^\d % of 2,000 updates were HOT/) as string,
      });
  });

  test('is content with those of settles', async () => {
    const tables = await tablesIn('cool');
    await fill(one, 'cool', 2_000);
    await one`update cool.records set state = 'succeeded', owned = false`;
    await expect
      .poll(() => findingOf('hot-updates', tables))
      .toMatchObject({
        level: 'ok',
        found: expect.stringMatching(/^(?:9\d|100) % of 2,000 updates were HOT$/) as string,
      });
  });
});

describe('dead-rows', () => {
  const reader = useClient(url, { max: 1 });

  test('finds what vacuum cannot remove', async () => {
    const tables = await tablesIn('dead');
    // Autovacuum would count those again that the reader can still see.
    await one`
      alter table dead.records
      set (autovacuum_vacuum_threshold = 1000000, autovacuum_vacuum_insert_threshold = -1)`;
    await fill(one, 'dead', 12_000);
    await reader`begin isolation level repeatable read`;
    await reader`select count(*) from dead.records`;
    await one`delete from dead.records`;
    await expect
      .poll(() => findingOf('dead-rows', tables))
      .toMatchObject({
        level: 'notice',
        // The migration leaves 100 dead rows more, which any statement can remove.
        found: expect.stringMatching(/^12,\d{3} dead rows and 0 live ones/) as string,
        fix: expect.stringContaining('stay open for long') as string,
      });
    await reader`rollback`;
    await sql`vacuum dead.records`;
    await expect
      .poll(() => findingOf('dead-rows', tables))
      .toMatchObject({
        level: 'ok',
        found: expect.stringMatching(/vacuumed \d+ seconds ago$/) as string,
      });
  });

  test('finds autovacuum turned off', async () => {
    const tables = await tablesIn('off');
    await sql`alter table off.records set (autovacuum_enabled = off)`;
    expect(await findingOf('dead-rows', tables)).toMatchObject({
      level: 'notice',
      found: expect.stringContaining('autovacuum is off') as string,
    });
  });
});

describe('maintenance', () => {
  test('finds tables of which no walk came to its end, or none of late', async () => {
    const tables = await tablesIn('upkeep');
    const levelNow = async () => (await findingOf('maintenance', tables)).level;
    expect(await levelNow()).toBe('ok');
    await sql`update upkeep.migrations set applied_at = now() - interval '3 days'`;
    expect(await findingOf('maintenance', tables)).toMatchObject({
      level: 'notice',
      found: 'no walk has ended since the tables were made, 3 days ago',
    });
    await fill(sql, 'upkeep', 1);
    await maintain(tables);
    expect(await levelNow()).toBe('ok');
    await sql`update upkeep.census set taken_at = now() - interval '4 days'`;
    expect(await findingOf('maintenance', tables)).toMatchObject({
      level: 'notice',
      found: 'the last walk ended 4 days ago',
    });
  });

  test('knows of a walk that had nothing to count', async () => {
    const tables = await tablesIn('empty');
    await sql`update empty.migrations set applied_at = now() - interval '3 days'`;
    await maintain(tables);
    expect(await findingOf('maintenance', tables)).toMatchObject({ level: 'ok' });
    await sql`update empty.maintenance set due_at = now() - interval '3 days'`;
    expect(await findingOf('maintenance', tables)).toMatchObject({ level: 'notice' });
  });
});
