import { expect, test } from 'vitest';
import { InvalidOptionsError, migrate, migrationSql, SchemaError, StoreError } from '../../src/index.ts';
import type { PostgresClient } from '../../src/postgres/postgres-client.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { useClient } from '../store/postgres/client.ts';
import { useRole } from '../store/postgres/role.ts';
import { schemaDump } from './schema-dump.ts';
import { ALL_MIGRATIONS } from './all.ts';

const LATEST = ALL_MIGRATIONS.length;
const INVALID_NAMES = [
  '',
  '1st',
  'pg_own',
  'with space',
  'semi;colon',
  'quo"ted',
  'schéma',
  'a'.repeat(64),
  'dot.ted',
];

const { url, sql } = useEmptyDatabase();
const role = useRole(sql);
const asRole = useClient(url, { connection: { role } });

/** A client that fails the test when it is asked for anything. */
const untouched: PostgresClient = {
  unsafe: () => expect.fail('a statement ran'),
  begin: () => expect.fail('a transaction began'),
};

test.each(INVALID_NAMES)('the schema name %j is refused before anything runs', async (schema) => {
  await expect(migrate(untouched, { schema })).rejects.toThrow(InvalidOptionsError);
  expect(() => migrationSql({ schema })).toThrow(InvalidOptionsError);
});

test('a URL in place of a client is refused with words', async () => {
  await expect(migrate(url as unknown as PostgresClient)).rejects.toThrow(
    /sql.*must be a client made by postgres/,
  );
});

test('an option that does not exist is refused before anything runs', async () => {
  await expect(migrate(untouched, { shema: 'typo' } as object)).rejects.toThrow(/shema/);
});

test('the first of many says what it ran, and a later one that there was nothing to do', async () => {
  expect(await migrate(sql, { schema: 'once' })).toEqual({ version: LATEST, applied: ALL_MIGRATIONS });
  expect(await migrate(sql, { schema: 'once' })).toEqual({ version: LATEST, applied: [] });
});

test('a database that is migrated by a newer version of the package is refused, and left alone', async () => {
  await migrate(sql, { schema: 'newer' });
  await sql`insert into newer.migrations (version, name) values (999, '0999_future.sql')`;
  const before = await schemaDump(sql, 'newer');
  const refused = migrate(sql, { schema: 'newer' });
  await expect(refused).rejects.toThrow(SchemaError);
  await expect(refused).rejects.toThrow(/version 999.*knows \d+.*upgrade the package/);
  expect(await schemaDump(sql, 'newer')).toBe(before);
});

test('on a current database migrate needs the rights to read only', async () => {
  await migrate(sql, { schema: 'current' });
  await sql`grant usage on schema current to ${sql(role)}`;
  await sql`grant select on current.migrations to ${sql(role)}`;
  expect(await migrate(asRole, { schema: 'current' })).toEqual({ version: LATEST, applied: [] });
});

test('on a current database migrate works in a session that cannot write', async () => {
  await migrate(sql, { schema: 'standby' });
  await sql.begin('read only', async (transaction) => {
    const readOnly = {
      unsafe: transaction.unsafe.bind(transaction),
      begin: () => expect.fail('a transaction began'),
    };
    expect(await migrate(readOnly, { schema: 'standby' })).toMatchObject({ applied: [] });
  });
});

test('a role that may not create a schema is told so, and nothing is left behind', async () => {
  const refused = migrate(asRole, { schema: 'forbidden' });
  await expect(refused).rejects.toThrow(StoreError);
  await expect(refused).rejects.toMatchObject({ retriable: false });
  expect(await schemaDump(sql, 'forbidden')).toBe('\n');
});

test('a schema that a role owns is enough for it: it need not create any', async () => {
  await sql`create schema owned authorization ${sql(role)}`;
  expect((await migrate(asRole, { schema: 'owned' })).applied).toEqual(ALL_MIGRATIONS);
});

test('a schema that exists already is used', async () => {
  await sql`create schema mine`;
  await sql`create table mine.other (id integer)`;
  expect((await migrate(sql, { schema: 'mine' })).applied).toEqual(ALL_MIGRATIONS);
});

test('a migration that fails leaves nothing behind, and can be run again', async () => {
  await sql`create schema occupied`;
  await sql`create table occupied.records (id integer)`;
  const refused = migrate(sql, { schema: 'occupied' });
  await expect(refused).rejects.toThrow(SchemaError);
  await expect(refused).rejects.toThrow(/^schema occupied has tables .* or use another schema/);
  expect(await sql`select from pg_tables where schemaname = 'occupied' and tablename = 'migrations'`).toEqual(
    [],
  );
  await sql`drop table occupied.records`;
  expect((await migrate(sql, { schema: 'occupied' })).applied).toEqual(ALL_MIGRATIONS);
});

test('a migration that ran with another content is named, and its fix is taken', async () => {
  await migrate(sql, { schema: 'edited' });
  await sql`update edited.migrations set checksum = 'other' where version = 2`;
  const refused = migrate(sql, { schema: 'edited' });
  await expect(refused).rejects.toThrow(SchemaError);
  await expect(refused).rejects.toThrow(/^0002_maintenance\.sql ran in schema edited with different content/);
  const fix = await refused.catch((error: unknown) => /update .*;/.exec((error as Error).message)?.[0]);
  await sql.unsafe(fix as string);
  expect(await migrate(sql, { schema: 'edited' })).toEqual({ version: LATEST, applied: [] });
});

test('a migration whose row was deleted is named, and its fix is taken', async () => {
  await migrate(sql, { schema: 'unlisted' });
  await sql`delete from unlisted.migrations where version = 2`;
  const refused = migrate(sql, { schema: 'unlisted' });
  await expect(refused).rejects.toThrow(SchemaError);
  await expect(refused).rejects.toThrow(/does not list 0002_maintenance\.sql, but lists later ones/);
  const fix = await refused.catch((error: unknown) => /insert .*;/.exec((error as Error).message)?.[0]);
  await sql.unsafe(fix as string);
  expect(await migrate(sql, { schema: 'unlisted' })).toEqual({ version: LATEST, applied: [] });
});

test.each([
  ['the last row', 'delete from SCHEMA.migrations where version = 3', 2],
  ['all rows', 'delete from SCHEMA.migrations', 0],
  ['the table migrations', 'drop table SCHEMA.migrations', 0],
])('tables without %s are named, and the fix is taken', async (_, lose, after) => {
  const schema = `without_${after}_${lose.length}`;
  await migrate(sql, { schema });
  await sql.unsafe(lose.replaceAll('SCHEMA', schema));
  const refused = migrate(sql, { schema });
  await expect(refused).rejects.toThrow(SchemaError);
  await expect(refused).rejects.toThrow(
    new RegExp(
      `lacks .*0003_history\\.sql: of .* npx handle-once sql --schema ${schema} --after ${after} prints, run only`,
    ),
  );
  const statements = migrationSql({ schema, after }).split(/;$/m);
  await sql.unsafe(statements.filter((one) => one.includes(`"${schema}".migrations`)).join(';'));
  expect(await migrate(sql, { schema })).toEqual({ version: LATEST, applied: [] });
});

test('tables of which some are gone, with the rows of their migration, are left alone', async () => {
  await migrate(sql, { schema: 'torn' });
  await sql`delete from torn.migrations where version = 3`;
  await sql`drop table torn.stats`;
  const before = await schemaDump(sql, 'torn');
  await expect(migrate(sql, { schema: 'torn' })).rejects.toThrow(
    /which lacks 0003_history\.sql, and stats are not there: restore the schema from a backup; or drop it/,
  );
  expect(await schemaDump(sql, 'torn')).toBe(before);
});

test.each([
  ['records', 'drop table SCHEMA.records', /lacks the table records: restore the records from a backup/],
  ['workers', 'drop table SCHEMA.workers', /lacks the table workers: .*, run those about workers/],
  [
    'records',
    'alter table SCHEMA.records rename to r; create view SCHEMA.records as select * from SCHEMA.r',
    /lacks the table records/,
  ],
  ['several', 'drop table SCHEMA.census, SCHEMA.stats', /lacks the tables stats, census: /],
])('a table that is gone is named (%s)', async (name, lose, says) => {
  const schema = `gone_${name}_${lose.length}`;
  await migrate(sql, { schema });
  await sql.unsafe(lose.replaceAll('SCHEMA', schema));
  const refused = migrate(sql, { schema });
  await expect(refused).rejects.toThrow(SchemaError);
  await expect(refused).rejects.toThrow(says);
});

test('a script notes what migrate compares', async () => {
  await sql.unsafe(migrationSql({ schema: 'script' }));
  const noted = (schema: string) => sql`select version, name, checksum from ${sql(schema)}.migrations`;
  await migrate(sql, { schema: 'compared' });
  expect(await noted('script')).toEqual(await noted('compared'));
});
