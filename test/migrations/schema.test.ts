import { expect, test } from 'vitest';
import { createHandleOnce, migrate, migrationSql } from '../../src/index.ts';
import { useDatabase } from '../support/database.ts';
import { schemaDump } from './schema-dump.ts';
import { ALL_MIGRATIONS } from './all.ts';

const { sql } = useDatabase();

test('migrate makes the schema that is on file', async () => {
  await expect(await schemaDump(sql, 'handle_once')).toMatchFileSnapshot('../golden/schema.txt');
});

test('migrationSql, run as one script, makes the schema that migrate makes', async () => {
  await sql.unsafe(migrationSql({ schema: 'pasted' }));
  expect(await schemaDump(sql, 'pasted')).toBe(await schemaDump(sql, 'handle_once'));
});

test('migrate has nothing to do after migrationSql', async () => {
  await sql.unsafe(migrationSql({ schema: 'pasted_before' }));
  const { applied } = await migrate(sql, { schema: 'pasted_before' });
  expect(applied).toEqual([]);
});

test('migrationSql, run a second time, fails and changes nothing', async () => {
  await sql.unsafe(migrationSql({ schema: 'pasted_twice' }));
  const before = await schemaDump(sql, 'pasted_twice');
  await expect(sql.unsafe(migrationSql({ schema: 'pasted_twice' }))).rejects.toThrow(/already exists/);
  expect(await schemaDump(sql, 'pasted_twice')).toBe(before);
  expect(await sql`select * from pasted_twice.migrations`).toHaveLength(ALL_MIGRATIONS.length);
});

test('migrationSql, pasted again statement by statement, empties no table', async () => {
  const script = migrationSql({ schema: 'pasted_on' });
  await sql.unsafe(script);
  const handleOnce = createHandleOnce({ sql, scope: 's', databaseSchema: 'pasted_on' });
  await handleOnce('key', {}, () => 1);
  // As psql runs a file: whatever fails, the next one is sent.
  const statements = script.replaceAll(/--.*$/gm, '').split(/;\s*\n/);
  for (const statement of statements) await sql.unsafe(statement).catch(() => undefined);
  expect(await handleOnce('key', {}, () => 1)).toMatchObject({ state: 'succeeded', replayed: true });
});

test('migrationSql leaves out what a database has', () => {
  const { length } = migrationSql();
  expect(migrationSql({ after: 1 }).length).toBeLessThan(length);
  expect(migrationSql({ after: 1 })).not.toContain('create table "handle_once".records');
});

test('a schema name keeps its case', async () => {
  await migrate(sql, { schema: 'HandleOnce' });
  expect(await schemaDump(sql, 'HandleOnce')).not.toBe('\n');
  expect(await schemaDump(sql, 'handleonce')).toBe('\n');
  const handleOnce = createHandleOnce({ sql, scope: 's', databaseSchema: 'HandleOnce' });
  expect(await handleOnce('key', {}, () => 1)).toMatchObject({ state: 'succeeded' });
});

test('the longest schema name is kept whole', async () => {
  const schema = 'a'.repeat(63);
  await migrate(sql, { schema });
  expect((await migrate(sql, { schema })).applied).toEqual([]);
});

test('a schema name that is a word of SQL is only a name', async () => {
  await migrate(sql, { schema: 'select' });
  expect((await migrate(sql, { schema: 'select' })).applied).toEqual([]);
});

test('two schemas of one database keep their records apart', async () => {
  await migrate(sql, { schema: 'first' });
  await migrate(sql, { schema: 'second' });
  const inFirst = createHandleOnce({ sql, scope: 's', databaseSchema: 'first' });
  const inSecond = createHandleOnce({ sql, scope: 's', databaseSchema: 'second' });
  await inFirst('key', {}, () => 'first');
  expect(await inSecond('key', {}, () => 'second')).toMatchObject({ replayed: false, result: 'second' });
  expect(await inFirst('key', {}, () => 'third')).toMatchObject({ replayed: true, result: 'first' });
});

test('a migrated table is empty', async () => {
  await migrate(sql, { schema: 'untouched' });
  expect(await sql`select * from untouched.records`).toEqual([]);
});
