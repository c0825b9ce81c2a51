import { createHandleOnce, migrate, SchemaError } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import { doctor, grantsSql, maintain } from 'handle-once/operations';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { SHAPE } from '../../../src/postgres/shape.ts';
import { useDatabase } from '../../support/database.ts';
import { findingOf, statementIn } from '../../operations/support/findings.ts';
import { useClient } from './client.ts';
import { useRole } from './role.ts';

const { sql, url } = useDatabase();
const role = useRole(sql);
const asRole = useClient(url, { connection: { role } });
const databaseSchema = 'broken';

beforeEach(async () => {
  await sql`drop schema if exists broken cascade`;
  await migrate(sql, { schema: databaseSchema });
});

function create(client = sql) {
  return createHandleOnce({ sql: client, databaseSchema, scope: 'billing', onEvent: () => undefined });
}

test('the statements need the columns and keys that the migrations make, and no others', async () => {
  const made = await sql<{ name: string; columns: string; key: string | null }[]>`
    select c.relname as name, string_agg(a.attname, ', ' order by a.attnum) as columns,
      (select substring(pg_get_constraintdef(o.oid) from '\\((.*)\\)') from pg_constraint o
        where o.conrelid = c.oid and o.contype = 'p') as key
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'broken'::regnamespace and c.relkind in ('r', 'p')
    group by c.oid, c.relname`;
  const shape = made.map(({ name, columns, key }) => [name, { columns, ...(key === null ? {} : { key }) }]);
  expect(SHAPE).toEqual(Object.fromEntries(shape));
});

describe('Tables with which no message can be handled', () => {
  test.each([
    ['a lost column', 'drop column owned', 'the table records lacks the column owned'],
    ['a lost primary key', 'drop constraint records_pkey', 'lacks the primary key (scope, key)'],
    ['a table that a crash empties', 'set unlogged', 'the table records is UNLOGGED'],
  ])('checkStore and migrate refuse %s, and name it', async (_, change, says) => {
    await create().checkStore();
    await sql.unsafe(`alter table broken.records ${change}`);
    for (const refused of [() => create().checkStore(), () => migrate(sql, { schema: databaseSchema })]) {
      await expect(refused()).rejects.toThrow(SchemaError);
      await expect(refused()).rejects.toThrow(says);
    }
    const finding = await findingOf('tables', { sql, databaseSchema });
    expect(finding).toMatchObject({ level: 'problem', found: expect.stringContaining(says) as string });
  });

  test.each([
    'drop constraint records_pkey',
    'drop constraint records_pkey, add constraint "Mine" primary key (key)',
    'drop constraint records_pkey, add primary key (scope, key) deferrable initially deferred',
    'set unlogged',
  ])('what doctor says to run makes up for %s', async (change) => {
    await sql.unsafe(`alter table broken.records ${change}`);
    await sql.unsafe(statementIn(await findingOf('tables', { sql, databaseSchema })));
    expect((await doctor({ sql, databaseSchema })).filter(({ level }) => level !== 'ok')).toEqual([]);
    await create().checkStore();
    expect(await create()('k', {}, () => 1)).toMatchObject({ state: 'succeeded' });
  });

  test('checkStore gives the fix of each fault', async () => {
    await sql.unsafe('alter table broken.records drop constraint records_pkey, set unlogged');
    await expect(create().checkStore()).rejects.toThrow(/add primary key \(scope, key\).*; and .*set logged/);
  });

  test('an unlogged partition is found too', async () => {
    await sql.unsafe(`
      alter table broken.records rename to plain;
      create table broken.records (like broken.plain including defaults, primary key (scope, key))
        partition by hash (scope, key);
      create unlogged table broken.part partition of broken.records for values with (modulus 1, remainder 0)`);
    await expect(create().checkStore()).rejects.toThrow('the table part is UNLOGGED');
  });

  test('a statement that finds no key says where to look', async () => {
    await sql`alter table broken.records drop constraint records_pkey`;
    await expect(create()('k', {}, () => 1)).rejects.toThrow(/primary key, .+ \(SQLSTATE 42P10\): .*doctor/);
  });
});

describe('A statement that an altered table refuses says what and where', () => {
  test.each([
    [
      'add constraint short check (length(key) > 3)',
      '23514',
      'schema broken, table records, constraint short',
    ],
    ['add column extra text not null', '23502', 'schema broken, table records, column extra'],
    ['alter column scope type varchar(3)', '22001', 'too long for its column'],
    ['alter column result type jsonb using null', '42804', 'another type'],
    ['alter column token type text', '42883', 'another type'],
  ])('%s', async (change, state, says) => {
    await sql.unsafe(`alter table broken.records ${change}`);
    const error = await create()('k', {}, () => 1).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'STORE',
      message: expect.stringContaining(`(SQLSTATE ${state})`) as string,
    });
    expect(error).toMatchObject({ message: expect.stringContaining(says) as string });
    expect(error).toMatchObject({
      message: expect.stringContaining('handle-once sql --schema "broken"') as string,
    });
  });

  test('a rule', async () => {
    await sql`create rule r as on update to broken.records do instead nothing`;
    await expect(create()('k', {}, () => 1)).rejects.toThrow(/a rule.* \(SQLSTATE 0A000\): .*Compare/);
  });

  test('a deferrable primary key', async () => {
    await sql`alter table broken.records drop constraint records_pkey, add primary key (scope, key) deferrable`;
    await expect(create()('k', {}, () => 1)).rejects.toThrow(/deferrable.* \(SQLSTATE 55000\): .*doctor/);
  });
});

test('a table beside the records that has lost a column is named, and messages are handled', async () => {
  await sql`alter table broken.workers drop column host`;
  await create().checkStore();
  await expect(migrate(sql, { schema: databaseSchema })).rejects.toThrow('workers lacks the column host');
  expect(await findingOf('tables', { sql, databaseSchema })).toMatchObject({
    level: 'notice',
    found: expect.stringContaining('the table workers lacks the column host') as string,
  });
});

test('maintain names a table that was dropped, and what makes it again', async () => {
  await sql`drop table broken.workers`;
  const maintained = maintain({ sql, databaseSchema });
  await expect(maintained).rejects.toThrow(SchemaError);
  await expect(maintained).rejects.toThrow(
    /missing, .* \(SQLSTATE 42P01, relation "broken.workers"\): run migrate\(sql\).* does not create anything twice: npx handle-once doctor names/,
  );
  const { fix } = await findingOf('tables', { sql, databaseSchema });
  expect(fix).toContain(
    'of the statements that npx handle-once sql --schema broken prints, run those about workers',
  );
});

describe('A role that may not write the records', () => {
  beforeEach(() => sql.unsafe(grantsSql({ role, databaseSchema })));

  test.each([
    ['insert, update', 'insert, update'],
    ['update', 'update'],
  ])('is refused without %s, with the grant, before a handler runs', async (rights, lacked) => {
    await sql.unsafe(`revoke ${rights} on broken.records from ${role}`);
    const handleOnce = create(asRole);
    const says = `the role of the client lacks ${lacked} on the table records in schema broken: `;
    await expect(handleOnce.checkStore()).rejects.toThrow(SchemaError);
    await expect(handleOnce.checkStore()).rejects.toThrow(says);

    const handler = vi.fn();
    const acknowledge = vi.fn();
    const onceEachOrder = onceEach(
      { handleOnce, key: () => 'k', body: () => 1, acknowledge, retryLater: () => 1, onFailed: 'keep' },
      handler,
    );
    expect(await onceEachOrder({})).toMatchObject({ action: 'kept' });
    expect(handler).not.toHaveBeenCalled();

    const { message } = (await handleOnce.checkStore().catch((error: unknown) => error as Error)) as Error;
    const grant = message.slice(message.indexOf('grant usage')).replaceAll('ROLE', role);
    await sql.unsafe(grant);
    await handleOnce.checkStore();
    expect(await onceEachOrder({})).toMatchObject({ action: 'acknowledged' });
  });
});

describe('Row level security without a policy for the role', () => {
  beforeEach(async () => {
    await sql.unsafe(grantsSql({ role, databaseSchema }));
    await sql.unsafe(grantsSql({ role, databaseSchema, for: 'maintain' }));
    await create(asRole).checkStore();
    await sql`alter table broken.records enable row level security`;
  });

  test('is refused by checkStore and maintain, which would see no record', async () => {
    for (const refused of [
      () => create(asRole).checkStore(),
      () => maintain({ sql: asRole, databaseSchema }),
    ]) {
      await expect(refused()).rejects.toThrow(SchemaError);
      await expect(refused()).rejects.toThrow(/row level security .* records .*: .*create policy/);
    }
    await expect(create(asRole)('k', {}, () => 1)).rejects.toThrow(/row level security .*doctor/);
    await create(sql).checkStore();
  });

  test('is a problem to doctor, whose fix lets messages be handled', async () => {
    const tables = { sql: asRole, databaseSchema };
    const finding = await findingOf('row-security', tables);
    expect(finding).toMatchObject({ level: 'problem' });
    await sql.unsafe(statementIn(finding));
    expect(await findingOf('row-security', tables)).toMatchObject({ level: 'ok' });
    expect(await create(asRole)('k', {}, () => 1)).toMatchObject({ state: 'succeeded' });
  });

  test('is content with a policy for what the role does', async () => {
    await sql`create policy reads on broken.records for select using (true)`;
    await expect(create(asRole).checkStore()).rejects.toThrow('(insert, update)');
    await sql`create policy works on broken.records to ${sql(role)} using (true)`;
    await create(asRole).checkStore();
    expect(await findingOf('row-security', { sql: asRole, databaseSchema })).toMatchObject({ level: 'ok' });
  });

  test('of a table beside the records is a notice', async () => {
    await sql`alter table broken.records disable row level security`;
    await sql`alter table broken.failures enable row level security`;
    await create(asRole).checkStore();
    expect(await findingOf('row-security', { sql: asRole, databaseSchema })).toMatchObject({
      level: 'notice',
    });
    await expect(maintain({ sql: asRole, databaseSchema })).rejects.toThrow(/row level security .* failures/);
  });
});
