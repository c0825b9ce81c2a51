import { migrate } from 'handle-once';
import { maintain } from 'handle-once/operations';
import { beforeEach, describe, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { publishAllTables } from '../support/published.ts';
import { findingOf, statementIn } from './support/findings.ts';

const { sql } = useDatabase();
publishAllTables(sql);

beforeEach(() => sql`drop schema if exists published cascade`);

async function published(change = 'select') {
  await migrate(sql, { schema: 'published' });
  await sql.unsafe(change);
  return { sql, databaseSchema: 'published' };
}

const WITHOUT_KEY = 'alter table published.failures drop constraint failures_pkey';

describe('publications', () => {
  test('finds nothing in tables as migrate makes them', async () => {
    expect(await findingOf('publications', await published())).toMatchObject({ level: 'ok' });
  });

  test('finds a table without a replica identity, and its fix lets maintenance work', async () => {
    const tables = await published(WITHOUT_KEY);
    await expect(maintain(tables)).rejects.toThrow(/\(SQLSTATE 55000\): .*npx handle-once doctor/);
    const finding = await findingOf('publications', tables);
    expect(finding).toMatchObject({
      level: 'notice',
      found: expect.stringMatching(
        /^published\.failures has no replica identity, and is in the publication everything: /,
      ) as string,
    });
    await sql.unsafe(statementIn(finding));
    expect(await findingOf('publications', tables)).toMatchObject({ level: 'ok' });
    expect(await maintain(tables)).toMatchObject({ state: 'finished' });
  });

  test.each([
    ['records', 'alter table published.records replica identity nothing', 'published.records'],
    [
      'a partition of the records',
      `alter table published.records rename to plain;
      create table published.records (like published.plain including defaults, primary key (scope, key))
        partition by hash (scope, key);
      create table published.all partition of published.records for values with (modulus 1, remainder 0);
      alter table published.all replica identity nothing`,
      'published."all"',
    ],
  ])('calls %s without one a problem', async (_, change, name) => {
    const tables = await published(change);
    const finding = await findingOf('publications', tables);
    expect(finding.level).toBe('problem');
    expect(finding.found).toContain(`${name} has no replica identity`);
    await sql.unsafe(statementIn(finding));
    expect(await findingOf('publications', tables)).toMatchObject({ level: 'ok' });
  });

  test('is content with what updates and deletes nothing', async () => {
    await sql`drop publication everything`;
    await sql`create publication everything for all tables with (publish = 'insert')`;
    expect(await findingOf('publications', await published(WITHOUT_KEY))).toMatchObject({ level: 'ok' });
  });
});
