import postgres from 'postgres';
import { createHandleOnce, migrate, TerminalError } from 'handle-once';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newDatabaseName, postgresUrl, useDatabase } from '../support/database.ts';
import { databaseUrl, dropDatabases } from '../support/databases.ts';
import { callCommand } from './call-command.ts';
import { configFile, useCommand } from './run-command.ts';

const { sql, url } = useDatabase();
const start = useCommand(url);

const HARMFUL = '\u007f\u009b\u202e\u2028';
const ESCAPED = String.raw`\u007f\u009b\u202e\u2028`;

beforeAll(async () => {
  await createHandleOnce({ sql, scope: 'billing' })(`a${HARMFUL}b`, 'body', () => {
    throw new TerminalError(`no${HARMFUL}`);
  });
});

test('JSON has controls and marks that turn the direction of text as escapes', async () => {
  const { stdout } = await callCommand(['list', '--json'], { DATABASE_URL: url });
  expect(stdout).toContain(`"key": "a${ESCAPED}b"`);
  expect(stdout).not.toMatch(/[\u007f-\u009f\u2028\u202e]/u);
  expect(JSON.parse(stdout)).toMatchObject({
    records: [{ key: `a${HARMFUL}b`, error: { message: expect.stringContaining(`no${HARMFUL}`) as string } }],
  });
});

test('status tells ages by the clock of the database, and not by that of its machine', async () => {
  await sql`
    insert into handle_once.census (scope, state, records, abandoned, oldest_at, taken_at)
    values ('billing', 'failed', 1, 0, now() - interval '3 days 1 hour', now() - interval '2 hours 1 minute')`;
  onTestFinished(async () => {
    await sql`truncate handle_once.census`;
  });
  const late = await configFile(`
    Date.now = () => 0;
    globalThis.Date = class extends Date { constructor(...given) { super(...(given.length === 0 ? [0] : given)); } };
    export const key = () => '';`);
  const { stdout } = await start(`status --config ${late}`).ended;
  expect(stdout).toMatch(/^billing +failed +1 +0 +3d\n\ncounted 2h ago\n$/m);
});

test('--version prints the version', async () => {
  const { code, stdout } = await start('--version', {}).ended;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
});

test('help prints times as people write them', async () => {
  const { stdout } = await callCommand(['stats', '--help'], {});
  expect(stdout).toMatch(/--since <time> +since then \(default: 1h\)/);
});

test.each<[string, string, string]>([
  [
    'maintain --abandoned-after 20d --purge-abandoned-after 10d',
    '--purge-abandoned-after must be at least --abandoned-after, or records are deleted that were never reported',
    'by its flag',
  ],
  [
    'status --database-url mysql://127.0.0.1/app',
    'DATABASE_URL, or --database-url, begins with mysql:, but the records are in PostgreSQL: write ' +
      'postgres://user:password@host:5432/database',
    'at once',
  ],
])('%s is refused: %s, %s', async (args, message) => {
  expect(await callCommand(args.split(' '), { DATABASE_URL: url })).toEqual({
    code: 2,
    stdout: '',
    stderr: `handle-once: ${message}\n`,
  });
});

test('a module whose promise never settles is told', async () => {
  const config = await configFile('await new Promise(() => undefined); export const sql = {};');
  const { code, stderr } = await start(`status --config ${config}`, {}).ended;
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^handle-once: the command waits for an answer .* the module of --config awaits a promise that never settles/,
    ),
  ]);
});

test('a key that the encoding of the database cannot hold is refused by that name', async () => {
  const name = newDatabaseName();
  await sql.unsafe(`create database "${name}" template template0 encoding 'LATIN1' locale 'C'`);
  const latin = postgres(databaseUrl(postgresUrl, name), { onnotice: () => undefined });
  onTestFinished(async () => {
    await latin.end({ timeout: 5 });
    await dropDatabases(postgresUrl, name);
  });
  await migrate(latin);
  const handleOnce = createHandleOnce({ sql: latin, scope: 'billing', onEvent: () => undefined });
  await expect(handleOnce('order-é', 'body', () => 1)).resolves.toMatchObject({ state: 'succeeded' });
  await expect(handleOnce('order-\u6f22', 'body', () => 1)).rejects.toThrow(
    /^the key, the scope or an error has a character that the encoding .*\(SQLSTATE 22P05\): .*UTF8/,
  );
});
