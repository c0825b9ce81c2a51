import { createHandleOnce, type LogFields, migrate, SchemaError, TerminalError } from 'handle-once';
import {
  forgetRecord,
  listRecords,
  maintain,
  readStatus,
  retryRecord,
  showRecord,
  startMaintenance,
} from 'handle-once/operations';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { migrations } from '../../src/migrations/embedded.generated.ts';
import { renderBootstrap, renderMigration } from '../../src/migrations/render.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { ALL_MIGRATIONS } from './all.ts';
import { schemaDump } from './schema-dump.ts';

const { sql } = useEmptyDatabase();
const LATEST = ALL_MIGRATIONS.length;

/** Tables as a later migration could leave them: each has a column that this code does not know. */
async function newerTables(schema: string, version: number): Promise<void> {
  await migrate(sql, { schema });
  for (const table of ['records', 'maintenance', 'census', 'archive']) {
    await sql`alter table ${sql(schema)}.${sql(table)} add column added_later text not null default 'x'`;
  }
  await sql`insert into ${sql(schema)}.migrations (version, name) values (${version}, 'later.sql')`;
}

function create(databaseSchema: string) {
  const onEvent = (): void => undefined;
  return createHandleOnce({ sql, databaseSchema, scope: 'billing', backoff: () => 0, onEvent });
}

describe('Code with tables that are one version newer', () => {
  const schema = 'next';
  beforeAll(() => newerTables(schema, LATEST + 1));

  test('migrates nothing, and warns', async () => {
    const before = await schemaDump(sql, schema);
    const warnings: [fields: LogFields, message: string][] = [];
    const logger = {
      error: () => expect.fail('it is no error'),
      warn: (...line: [LogFields, string]) => warnings.push(line),
    };
    expect(await migrate(sql, { schema, logger })).toEqual({ version: LATEST + 1, applied: [] });
    expect(warnings).toEqual([
      [
        expect.objectContaining({ code: 'NEWER_TABLES', type: 'warning' }),
        expect.stringMatching(/^the tables in schema next have version \d+, .* upgrade the package before/),
      ],
    ]);
    expect(await schemaDump(sql, schema)).toBe(before);
  });

  test('warns by a process warning where it has no logger', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await migrate(sql, { schema });
    expect(emitWarning.mock.calls).toEqual([
      [expect.stringContaining('works with them'), { type: 'HandleOnceWarning', code: 'NEWER_TABLES' }],
    ]);
    emitWarning.mockRestore();
  });

  test('handles messages, and is ready', async () => {
    const handleOnce = create(schema);
    await handleOnce.checkStore();
    const run = (key: string, fn: () => unknown) => handleOnce(key, 'body', fn);
    expect(await run('done', () => 1)).toMatchObject({ state: 'succeeded', replayed: false });
    expect(await run('done', () => 2)).toMatchObject({ state: 'succeeded', replayed: true, result: 1 });
    const fails = () => Promise.reject(new Error('not yet'));
    expect(await run('later', fails)).toMatchObject({ state: 'pending', reason: 'released' });
    expect(await run('later', () => 1)).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(await run('bad', () => Promise.reject(new TerminalError('no')))).toMatchObject({
      state: 'failed',
    });
    const settled = await handleOnce.inTransaction('tx', 'body', () => 1);
    expect(settled).toMatchObject({ state: 'succeeded' });
  });

  test('operates on the records, and maintains them', async () => {
    const tables = { sql, databaseSchema: schema };
    const one = { ...tables, scope: 'billing', key: 'operated' };
    await create(schema)('operated', 'body', () => Promise.reject(new TerminalError('no')));
    expect((await listRecords(tables)).records).not.toEqual([]);
    expect(await showRecord(one)).toMatchObject({ phase: 'failed' });
    expect(await retryRecord(one)).toEqual({ state: 'retried' });
    expect(await forgetRecord(one)).toMatchObject({ state: 'forgotten' });
    await create(schema)('expired', 'body', () => 1);
    await sql`update next.records set live_until = now() where key = 'expired'`;
    expect(await maintain({ ...tables, archive: true })).toMatchObject({ state: 'finished', purged: 1 });
    expect(await sql`select key from next.archive`).toEqual([{ key: 'expired' }]);
    await readStatus(tables);
  });

  test('maintains them with a warning, and none of current tables', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    expect(await maintain({ sql, databaseSchema: schema })).toMatchObject({ state: 'finished' });
    await migrate(sql, { schema: 'current' });
    await maintain({ sql, databaseSchema: 'current' });
    expect(emitWarning.mock.calls).toEqual([
      [expect.stringContaining('works with them'), { type: 'HandleOnceWarning', code: 'NEWER_TABLES' }],
    ]);
    emitWarning.mockRestore();
  });

  test('maintains them in the background with one warning, however often it walks', async () => {
    const warnings: string[] = [];
    const logger = {
      error: () => expect.fail('it is no error'),
      warn: ({ code }: LogFields) => warnings.push(code),
    };
    const maintenance = startMaintenance({ sql, databaseSchema: schema, everyMs: 1_000, logger });
    onTestFinished(() => maintenance.stop());
    await sql`update next.maintenance set due_at = now()`;
    await until(() => (maintenance.counts().maintained ?? 0) >= 2);
    expect(warnings).toEqual(['NEWER_TABLES']);
  });
});

/** No walk has begun: none has taken its lease. */
async function wasNotWalked(schema: string): Promise<void> {
  expect(await sql`select from ${sql(schema)}.maintenance`).toEqual([]);
}

test('Code with tables that are two versions newer refuses them', async () => {
  await newerTables('too_new', LATEST + 2);
  for (const refused of [
    () => migrate(sql, { schema: 'too_new' }),
    () => create('too_new').checkStore(),
    () => maintain({ sql, databaseSchema: 'too_new' }),
  ]) {
    await expect(refused()).rejects.toThrow(SchemaError);
    await expect(refused()).rejects.toThrow(/version \d+.*knows \d+.*upgrade the package/);
  }
  const errors: unknown[] = [];
  const maintenance = startMaintenance({
    sql,
    databaseSchema: 'too_new',
    onEvent: (event) => errors.push('error' in event ? event.error.code : event.type),
  });
  await until(() => errors.length > 0);
  await maintenance.stop();
  expect(errors).toEqual(['SCHEMA']);
  await wasNotWalked('too_new');
});

describe('Code with tables that are one version older', () => {
  const schema = 'before';
  beforeAll(async () => {
    await sql.unsafe(renderBootstrap(schema));
    for (const migration of migrations.slice(0, -1)) await sql.unsafe(renderMigration(migration, schema));
  });

  test('walks through none of them, and says what to run', async () => {
    const refused = maintain({ sql, databaseSchema: schema });
    await expect(refused).rejects.toThrow(SchemaError);
    await expect(refused).rejects.toThrow(
      /schema before have version \d+, .* needs \d+: run migrate\(sql\), or npx handle-once migrate/,
    );
    await wasNotWalked(schema);
  });

  test('is not ready, says what to run, and is ready when that has run', async () => {
    const handleOnce = create(schema);
    await expect(handleOnce.checkStore()).rejects.toThrow(SchemaError);
    await expect(handleOnce.checkStore()).rejects.toThrow(
      /schema before have version \d+, .* needs \d+: run migrate\(sql\), or npx handle-once migrate/,
    );
    expect(await migrate(sql, { schema })).toEqual({ version: LATEST, applied: ALL_MIGRATIONS.slice(-1) });
    await handleOnce.checkStore();
  });
});

test('Code whose tables lack a column runs nothing, and says what to run', async () => {
  await migrate(sql, { schema: 'lacking' });
  await sql`alter table lacking.records drop column owned`;
  const refused = create('lacking')('k', 'body', () => expect.fail('it ran'));
  await expect(refused).rejects.toThrow(SchemaError);
  await expect(refused).rejects.toThrow(
    /in schema "lacking", or older than this version, or have lost a column .* run migrate\(sql\)/,
  );
});
