import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { createHandleOnce, TerminalError } from 'handle-once';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { printAll } from '../../adapters/cli/records.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useDatabase, useEmptyDatabase } from '../support/database.ts';
import { freezableDatabase, untilLocked } from '../support/freezable-database.ts';
import { kafkaBrokers, useKafka } from '../support/kafka.ts';
import { serviceUrl } from '../support/service-url.ts';
import { createSqsClient } from '../support/sqs-client.ts';
import { temporaryDirectory } from '../support/services/temporary-directory.ts';
import { expectSoon, until } from '../support/until.ts';
import { callCommand } from './call-command.ts';
import { configFile, type Ended, ROOT, useCommand } from './run-command.ts';

const { sql, url } = useDatabase();
const empty = useEmptyDatabase();
const kafka = useKafka();

const start = useCommand(url);

/** As a process, as users do. */
const run: (...given: Parameters<typeof start>) => Promise<Ended> = (...given) => start(...given).ended;

function cli(args: string, env: Record<string, string> = { DATABASE_URL: url }): Promise<Ended> {
  return callCommand(args.split(' '), env);
}

async function json(args: string): Promise<unknown> {
  const { code, stdout, stderr } = await cli(`${args} --json`);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

beforeEach(async () => {
  await sql`
    truncate handle_once.records, handle_once.failures, handle_once.maintenance, handle_once.census`;
});

async function failed(key: string): Promise<void> {
  await createHandleOnce({ sql, scope: 'billing' })(key, 'body', () => {
    throw new TerminalError('card is blocked');
  });
}

test('a client that never ends keeps neither the answer nor the error', async () => {
  const config = await configFile(`
    export const sql = {
      unsafe: () => ({ raw: () => Promise.reject(Object.assign(new Error(), { code: 'CONNECTION_CLOSED' })) }),
      begin: () => Promise.reject(new Error()),
      end: () => new Promise(() => undefined),
    };`);
  const { code, stdout, stderr } = await run(`status --config ${config}`, {});
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^handle-once: the database cannot be reached \(CONNECTION_CLOSED\)[^\n]*\n$/);
});

test('a database that freezes while a command waits for it is given up', async () => {
  const { through, freeze } = await freezableDatabase(url);
  const ended = await sql.begin(async (tx) => {
    await tx`lock table handle_once.records in access exclusive mode`;
    const running = run('list --timeout 2s', { DATABASE_URL: through });
    await untilLocked(sql, 'handle_once.records');
    freeze();
    return { running };
  });
  expect(await ended.running).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(
      /^handle-once: there was no answer within 2s: is the database reachable[^\n]*\n$/,
    ) as string,
  });
});

describe('migrate', () => {
  test('makes the tables, and says that there was nothing to do the second time', async () => {
    const env = { DATABASE_URL: empty.url };
    const first = await run('migrate', env);
    expect(first).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: 'ran 0001_records.sql, 0002_maintenance.sql, 0003_history.sql; the tables have version 3\n',
    });
    expect((await cli('migrate', env)).stdout).toBe('nothing to do; the tables have version 3\n');
  });
});

describe('sql', () => {
  test('prints what migrate runs, without a database', async () => {
    const { code, stdout } = await run('sql --schema jobs', {});
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\n-- handle-once: the tables in schema jobs\n/);
    await empty.sql.unsafe(stdout);
    expect(await empty.sql`select version from jobs.migrations order by version`).toHaveLength(3);
  });

  test('leaves out what a database has', async () => {
    expect((await cli('sql --after 1', {})).stdout).not.toContain('create table "handle_once".records');
  });
});

test('grants prints the statements for a role, without a database', async () => {
  const { code, stdout } = await run('grants worker --for maintain', {});
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^grant usage on schema "handle_once" to "worker";\n/),
  ]);
  const { stdout: ofArchive } = await cli('grants worker --for archive', {});
  expect(ofArchive).toContain('\nalter table "handle_once".archive owner to "worker";\n');
});

describe('A failed message', () => {
  test('is listed, shown, let run again and forgotten', async () => {
    await failed('order-7');
    expect((await cli('list --state failed')).stdout).toMatch(
      /^scope +key +phase +attempts +age +began +error\nbilling +order-7 +failed +1 +\d+s +\d+s +TerminalError: card is blocked\n$/,
    );
    expect((await run('show order-7 --scope billing')).stdout).toMatch(/^phase +failed$/m);
    expect(await json('show order-7 --scope billing')).toMatchObject({ phase: 'failed', attempts: 1 });
    expect(await json('retry order-7 --scope billing')).toEqual({ state: 'retried' });
    expect(await json('show order-7 --scope billing')).toMatchObject({ phase: 'waiting' });
    expect(await cli('retry order-7 --scope billing')).toMatchObject({
      code: 3,
      stdout: 'unchanged: only a failed record can be retried, and this one is waiting\n',
    });
    expect(await json('forget order-7 --scope billing')).toEqual({ state: 'forgotten', was: 'waiting' });
    expect(await run('forget order-7 --scope billing')).toMatchObject({
      code: 3,
      stdout: 'no such record\n',
    });
  });
});

describe('A list', () => {
  const fill = (count: number) => sql`
    insert into handle_once.records
      (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    select 'mail', n::text, gen_random_uuid(), '', 'succeeded', false, 1, now() + interval '1 h',
      now() - n * interval '1 ms'
    from generate_series(1, ${count}::int) as n`;

  test('says that there are more, and prints all of them page by page', async () => {
    await fill(10_001);
    const cut = await cli('list --limit 2');
    expect(cut.stdout).toMatch(
      /^scope[^\n]*\nmail +1 [^\n]*\nmail +2 [^\n]*\n\nthe newest 2; there are more: --all prints them, --count-by error counts them\n$/,
    );
    expect(await json('list --limit 1 --oldest')).toMatchObject({ records: [{ key: '10001' }], more: true });
    const lines = (await run('list --all')).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(10_002);
    expect(lines.filter((line) => line.startsWith('scope'))).toHaveLength(1);
    const all = (await json('list --all --oldest')) as { records: { key: string }[]; more: boolean };
    expect(all.more).toBe(false);
    expect(all.records.map(({ key }) => Number(key))).toEqual(
      Array.from({ length: 10_001 }, (_, n) => 10_001 - n),
    );
  });

  test.each([
    [1, '{"records":[\n{'],
    [0, ''],
  ])('of all in JSON that fails behind %i pages is JSON all the same, or nothing', async (pages, begin) => {
    await fill(10_001);
    const client = toDatabaseClient(sql);
    let asked = 0;
    const failing = {
      ...client,
      query: (...query: Parameters<typeof client.query>) =>
        (asked += 1) > pages ? Promise.reject(new Error('cut')) : client.query(...query),
    };
    let printed = '';
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
    const listed = printAll({ sql: failing }, true).finally(() => {
      spy.mockRestore();
    });
    await expect(listed).rejects.toThrow('cannot be reached');
    expect(printed.slice(0, begin.length)).toBe(begin);
    if (pages === 0) expect(printed).toBe('');
    else expect(JSON.parse(printed)).toMatchObject({ more: true });
  });

  test('that is whole says nothing more, and one of nothing says so', async () => {
    await fill(2);
    expect((await cli('list --limit 2')).stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(await cli('list --since 2020-01-01 --until 2020-01-02T12:00:00Z')).toMatchObject({
      ...{ code: 0, stdout: 'no records\n' },
    });
    expect((await cli('list --all --state failed')).stdout).toBe('no records\n');
    expect(await json('list --all --state failed')).toEqual({ records: [], more: false });
  });

  test('shows no error of what has succeeded since', async () => {
    const handleOnce = createHandleOnce({ sql, scope: 'billing', backoff: () => 0 });
    await handleOnce('k', 'body', () => Promise.reject(new Error('card is blocked')));
    expect((await cli('list')).stdout).toContain('card is blocked');
    await handleOnce('k', 'body', () => 1);
    expect((await cli('list')).stdout).not.toContain('card is blocked');
  });

  test('counts by error', async () => {
    await fill(3);
    await failed('order-7');
    expect((await cli('list --count-by error')).stdout).toMatch(
      /^records +error +code +scope +oldest +newest\n3 +mail +\d+s +\d+s\n1 +TerminalError +billing +\d+s +\d+s\n$/,
    );
    expect(await json('list --count-by error --error TerminalError')).toMatchObject([{ records: 1 }]);
    expect((await cli('list --count-by error --error no')).stdout).toBe('no records\n');
  });
});

test('prints the scope of an adapter as a shell takes it, and in JSON as it is', async () => {
  const scope = 'billing>kafka:workers';
  await createHandleOnce({ sql, scope: 'billing' })('k', '', () => 1);
  await sql`update handle_once.records set scope = ${scope}`;
  expect((await cli('list')).stdout).toMatch(/^"billing>kafka:workers" +k /m);
  expect((await cli('show k')).stdout).toMatch(/^scope +"billing>kafka:workers"$/m);
  expect(await json('show k')).toMatchObject([{ scope }]);
});

describe('A key without a scope', () => {
  test('is shown and explained in each scope that has it', async () => {
    await failed('order-7');
    await createHandleOnce({ sql, scope: 'mail' })('order-7', 'body', () => 1);
    const shown = await cli('show order-7');
    expect(shown.code).toBe(0);
    expect(shown.stdout.match(/^(?:scope|phase) .*$/gm)?.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      'scope billing',
      'phase failed',
      'scope mail',
      'phase succeeded',
    ]);
    expect(await json('show order-7')).toMatchObject([{ scope: 'billing' }, { scope: 'mail' }]);
    expect(await json('explain order-7')).toMatchObject([
      { record: { scope: 'billing', phase: 'failed' } },
      { record: { scope: 'mail' }, attempts: [] },
    ]);
    expect((await cli('explain order-7')).stdout).toMatch(
      /^scope +mail\n(?:.+\n)+\nno attempt is known to have ended badly; deferrals, runs repeated .*, are not known$/m,
    );
    for (const command of ['show', 'explain']) {
      expect(await cli(`${command} order-8`)).toMatchObject({
        code: 3,
        stdout: expect.stringMatching(/^no such record in any scope/) as string,
      });
    }
  });
});

describe('The steps of a message', () => {
  test('are shown, and one is forgotten', async () => {
    const handleOnce = createHandleOnce({ sql, scope: 'billing', maxAttempts: 1 });
    await handleOnce('order-7', 'body', async (_, attempt) => {
      await attempt.step('summary', () => 'short');
      throw new Error('no');
    });
    expect((await cli('show order-7 --scope billing')).stdout).toMatch(
      /^steps +\[\{"name":"summary","endedAt":"[^"]+Z"\}\]$/m,
    );
    const forget = (step: string) => cli(`forget order-7 --scope billing --step ${step}`);
    expect(await forget('mail')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('no step of this name has ended') as string,
    });
    expect(await forget('summary')).toMatchObject({
      code: 0,
      stdout: 'forgotten: the next attempt runs it\n',
    });
    expect((await cli('show order-7 --scope billing')).stdout).toMatch(/^steps +\[\]$/m);
  });
});

describe('Many failed messages', () => {
  test('are counted, and run again once their number is confirmed', async () => {
    for (const key of ['a', 'b']) await failed(key);
    const counted = await cli('retry --error TerminalError');
    expect(counted).toMatchObject({ code: 0, stderr: '' });
    const [, suggested = ''] =
      /^records[^\n]*\n2 +TerminalError +billing[^\n]*\n\nfailed records found: 2\. Nothing was changed\. To let them run again, add:\n(--since \S+Z --until \S+Z --confirm 2)\n$/.exec(
        counted.stdout,
      ) ?? [];
    expect(await cli('retry --confirm 3')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining(
        'failed records found: 2, and --confirm says 3. Nothing was changed.',
      ) as string,
    });
    // The moments that were passed are printed as they are.
    const miscounted = await cli(
      `retry --error TerminalError ${suggested.replace('confirm 2', 'confirm 3')}`,
    );
    expect(miscounted.stdout).toContain(`add:\n${suggested}\n`);
    expect(await json('list --phase failed')).toMatchObject({ records: [{}, {}] });
    // One that is first claimed later is not between the moments that were printed.
    await failed('c');
    const retried = await cli(`retry --error TerminalError ${suggested}`);
    expect(retried).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 retried; nothing runs until/) as string,
    });
    expect(await json('list --phase failed')).toMatchObject({ records: [{ key: 'c' }] });
    expect(JSON.parse((await cli('retry --confirm 1 --json')).stdout)).toEqual({
      ...{ state: 'finished', matching: 1, retried: 1 },
    });
    expect(await cli('retry')).toMatchObject({ code: 3, stdout: 'no failed record was found\n' });
  });

  test('are found by the name or code of their error, and a text that is neither is explained', async () => {
    await failed('a');
    expect(await cli('retry --error blocked')).toMatchObject({
      code: 3,
      stdout:
        'no failed record was found: --error matches the name or the code of an error, and not its text\n',
    });
    for (const command of ['retry', 'list']) {
      expect((await cli(`${command} --help`)).stdout.replaceAll(/\s+/g, ' ')).toMatch(
        /--error <name or code> [^-]*by its name or code, and not by its text/,
      );
    }
  });

  test('that an error ends in the middle: it says how many run again', async () => {
    for (const key of ['a', 'b', 'c']) await failed(key);
    await sql`
      create function refuse() returns trigger language plpgsql as $$
      begin if new.key = 'b' then raise exception 'no'; end if; return new; end $$`;
    await sql`create trigger refuse before update on handle_once.records for each row execute function refuse()`;
    onTestFinished(async () => {
      await sql`drop function refuse cascade`;
    });
    expect(await cli('retry --confirm 3')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^1 of 3 were retried; the next call counts the others\nhandle-once: .*P0001/m,
      ) as string,
    });
  });

  test('are retried by what comes after a call that was killed', async () => {
    await sql`
      insert into handle_once.records
        (scope, key, token, fingerprint, state, owned, attempts, failures, live_until, created_at)
      select 'mail', n::text, gen_random_uuid(), '', 'failed', false, 1, 1, now() + interval '1 h', now()
      from generate_series(1, 1000) as n`;
    const retried = async () =>
      Number((await sql`select count(*) as n from handle_once.records where state = 'pending'`)[0]?.['n']);
    const { child, ended } = start('retry --confirm 1000');
    await until(async () => (await retried()) > 10);
    child.kill('SIGKILL');
    await ended;
    // What it had sent when it was killed may still be on its way.
    await until(async () => {
      const left = 1_000 - (await retried());
      return left === 0 || (await cli(`retry --confirm ${left}`)).code === 0;
    });
    expect(await retried()).toBe(1_000);
  });
});

test('stats prints what was counted', async () => {
  expect((await run('stats')).stdout).toContain('create handleOnce with stats: true');
  await sql`
    insert into handle_once.stats (scope, minute, event, count)
    values ('billing', now(), 'claimed', 20), ('billing', now() - interval '1 minute', 'claimed', 10)`;
  expect((await cli('stats --since 10m')).stdout).toBe(
    'scope    event    count  per minute\nbilling  claimed  30     3.0\n',
  );
  await sql`truncate handle_once.stats`;
});

test('explain tells what happened to a message', async () => {
  await failed('order-7');
  await expectSoon(async () => {
    expect(await json('explain order-7 --scope billing')).toMatchObject({ attempts: [{ ending: 'failed' }] });
  });
  const { stdout } = await cli('explain order-7 --scope billing');
  expect(stdout).toMatch(/^phase +failed$/m);
  expect(stdout).toMatch(/^host +.+, process \d+, version \d+\.\d+\.\d+$/m);
  expect(stdout).toMatch(
    /^1 +failed +\S+Z +.+ it failed permanently; .*\(TerminalError: card is blocked\)$/m,
  );
  expect(await cli('explain order-8 --scope billing')).toMatchObject({ code: 3 });
});

test('explain says where the ends of attempts were not written', async () => {
  await failed('order-7');
  const lines = () => sql`delete from handle_once.failures returning 1`;
  await until(async () => (await lines()).length > 0);
  const { stdout } = await cli('explain order-7 --scope billing');
  expect(stdout).toMatch(/^error .*card is blocked/m);
  expect(stdout).toMatch(
    /^1 attempt that did not succeed has no line: the worker died, or could not write it/m,
  );
  await sql`
    update handle_once.records set state = 'pending', attempts = 4, failures = 0, live_until = now()
    where key = 'order-7'`;
  await sql`
    insert into handle_once.failures (ended_at, attempt, scope, key, ending)
    select now() + a.after, a.number, 'billing', 'order-7', a.ending
    from (values (interval '0', 2, 'released'), ('0', 3, 'interrupted'), ('-1 h', 4, 'released'))
      as a(after, number, ending)`;
  expect((await cli('explain order-7 --scope billing')).stdout).toMatch(
    /^3 attempts that did not succeed have no line: /m,
  );
});

test('explain says that the process of an attempt is gone', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'billing' });
  const hanging = new AbortController();
  const running = handleOnce('order-9', 'body', (_, { signal }) => once(signal, 'abort'), {
    signal: hanging.signal,
  });
  onTestFinished(async () => {
    hanging.abort();
    await running;
  });
  await until(async () => (await sql`select 1 from handle_once.records where key = 'order-9'`).length > 0);
  await sql`update handle_once.records set live_until = now() - interval '1 s' where key = 'order-9'`;
  const { stdout } = await cli('explain order-9 --scope billing');
  expect(stdout).toMatch(
    /^attempt 1 has no outcome on record, and its lease lapsed at \S+Z: its process is gone/m,
  );
  expect(stdout).toMatch(/^no attempt before it is known to have ended badly;/m);
});

test('a --config that exports sql, and --database-url, are not both taken', async () => {
  const config = await configFile('export const sql = {};');
  const { code, stderr } = await cli(
    `forget order-7 --scope billing --config ${config} --database-url postgres://a/b`,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(/--database-url and the sql of --config are two databases: leave one of them out/);
});

test('a --config that exports nothing known falls back to no other database', async () => {
  const config = await configFile('export const sqll = 1;');
  const { code, stdout, stderr } = await cli(`list --config ${config}`);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/exports none of sql, sqs, kafka, key, handleOnce: correct the name/);
});

describe('maintain and status', () => {
  test('delete what has expired, and count what is left', async () => {
    expect((await cli('status')).stdout).toMatch(
      /^nothing is counted yet: no walk .* has ended\. Run npx handle-once maintain, or call startMaintenance/,
    );
    expect(await json('status')).toEqual({ takenAt: null, census: [] });
    await failed('a');
    await failed('b');
    await sql`update handle_once.records set live_until = now() where key = 'a'`;
    expect(await cli('maintain --for 10m')).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: '1 deleted, 1 left (0 abandoned)\n',
    });
    expect((await cli('status')).stdout).toMatch(
      /^scope +state +records +abandoned +oldest\nbilling +failed +1 +0 +\d+s\n\ncounted \d+s ago\n$/,
    );
    expect(await json('status')).toMatchObject({
      census: [{ scope: 'billing', state: 'failed', records: 1 }],
    });
  });
});

test('status says that the last walk found no records', async () => {
  await cli('maintain');
  expect((await cli('status')).stdout).toMatch(
    /^there are no records: the last walk of maintenance, \d+s ago, found none\. .* run npx handle-once maintain\n$/,
  );
  expect(await json('status')).toEqual({ takenAt: expect.any(String) as string, census: [] });
});

test('a key that would move the cursor or break the line is printed without that', async () => {
  await failed('a\u001b[31m\nb');
  expect((await cli('list')).stdout).toContain('a\\u001b[31m\\nb');
});

test('a key with other controls, or marks that turn the direction of text, is printed without those', async () => {
  const all = '\u007f\u0080\u009b\u009f\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028';
  const escapes = Array.from(all, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
    '',
  );
  await failed(`a${all}b`);
  expect((await cli('list')).stdout).toContain(`a${escapes}b`);
  expect((await cli(`show a${all}b --scope billing`)).stdout).toMatch(/^phase +failed$/m);
  const { code, stderr } = await cli(`status --schema x${all}`);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^handle-once: --schema must be 1 to 63 ASCII/)]);
  const missing = await cli(`status --config missing${all}.mjs`);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain(`missing${escapes}.mjs cannot be loaded`);
});

describe('doctor', () => {
  test('prints what it checked, and ends with 0 where all is well', async () => {
    const { code, stdout, stderr } = await cli('doctor');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^check +level +found\npooler +ok +no sign of a pooler/);
    expect(stdout).not.toContain('what to do');
  });

  test('ends with 3 where it found something, and prints what to do', async () => {
    await sql`alter table handle_once.records set (fillfactor = 85)`;
    const { code, stdout } = await cli('doctor');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^storage +notice +handle_once\.records has fillfactor 85: /m);
    expect(stdout).toMatch(
      /\n\nwhat to do\nstorage: run `alter table handle_once\.records set \(fillfactor = 50/,
    );
    const asJson = await cli('doctor --json');
    expect(JSON.parse(asJson.stdout)).toContainEqual(
      expect.objectContaining({ check: 'storage', level: 'notice' }),
    );
    await sql`alter table handle_once.records set (fillfactor = 50)`;
  });

  /** The lines of a module that exports clients. */
  const clientsAt = (sqs: string) => `
    import postgres from ${JSON.stringify(join(ROOT, 'node_modules/postgres/src/index.js'))};
    import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(join(ROOT, 'package.json'))});
    const { SQSClient } = require('@aws-sdk/client-sqs');
    export const sql = postgres(${JSON.stringify(url)}, { max: 5 });
    export const sqs = new SQSClient({
      endpoint: ${JSON.stringify(sqs)}, region: 'us-east-1', useQueueUrlAsEndpoint: false,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const { Kafka } = require('kafkajs');
    export const kafka = new Kafka({ brokers: ${JSON.stringify(kafkaBrokers())}, logLevel: 0 });`;

  test('compares the pool, a queue and topics with what a module of your own exports', async () => {
    const endpoint = await serviceUrl('fauxqs');
    const client = createSqsClient(endpoint);
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: `doctor-${process.pid}` }));
    client.destroy();
    const config = await configFile(`${clientsAt(endpoint)}
      const DAY = 86_400_000;
      export const handleOnce = {
        settings: { leaseMs: 20_000, succeededRetentionMs: DAY, failedRetentionMs: DAY, maxAttempts: 12 },
      };`);
    const orders = await kafka.createTopic({ config: { 'retention.ms': '1000' } });
    const invoices = await kafka.createTopic({ config: { 'retention.ms': '86400001' } });
    const options = `--config ${config} --concurrency 10 --queue-url ${QueueUrl} --topics ${orders} ${invoices}`;
    const { code, stdout } = await run(`doctor ${options} --json`, {});
    expect(code).toBe(3);
    const findings = JSON.parse(stdout) as { check: string; level: string; found: string }[];
    const found = (name: string) => {
      const { level, found: text } = findings.find(({ check }) => check === name) ?? {};
      return `${level}: ${text}`;
    };
    expect(found('pool-size')).toMatch(
      /^notice: the pool of 5 connections is not larger than concurrency 10/,
    );
    expect(found('queue-visibility')).toBe('ok: 30 s, above the lease of 20 s');
    expect(found('queue-retention')).toMatch(/^notice: the queue keeps messages for 345600 s/);
    expect(found('queue-redrive')).toMatch(/^notice: the queue has no redrive policy/);
    expect(found('topic-retention')).toMatch(
      new RegExp(`^notice: ${invoices} keeps messages for 86400001 ms, but records expire after 86400000 ms`),
    );
  });

  test('finds that a queue or a topic does not exist, and checks the other topics', async () => {
    const endpoint = await serviceUrl('fauxqs');
    const config = await configFile(clientsAt(endpoint));
    const orders = await kafka.createTopic({ config: { 'retention.ms': '-1' } });
    const QueueUrl = `${endpoint}/000000000000/none`;
    const options = `--config ${config} --queue-url ${QueueUrl} --topics ${orders}-missing ${orders}`;
    const { code, stdout } = await cli(`doctor ${options}`, {});
    expect(code).toBe(3);
    expect(stdout).toMatch(/^queue +problem +the queue none does not exist$/m);
    expect(stdout).toMatch(/^queue: create it, or correct its URL: account and region are part of it$/m);
    expect(stdout).toMatch(
      new RegExp(`^topic-retention +problem +the topic ${orders}-missing does not exist$`, 'm'),
    );
    expect(stdout).toContain(`\ntopic-retention: create ${orders}-missing, or correct its name`);
    expect(stdout).toMatch(new RegExp(`^topic-retention +notice +${orders} keeps messages without end`, 'm'));
    expect(stdout).not.toMatch(/AWS_REGION|DescribeConfigs/);
  });

  test('tells a queue that cannot be asked, and makes the other checks', async () => {
    const env = {
      DATABASE_URL: url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
    const { code, stdout } = await cli('doctor --queue-url http://127.0.0.1:1/000000000000/none', env);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^storage +ok /m);
    expect(stdout).toMatch(/^queue +notice +the queue's attributes cannot be read \(/m);
  });
});

describe('Where it cannot work', () => {
  test.each([
    ['kafka = {}', 'doctor --topics orders', /^handle-once: kafka of --config must be a Kafka of kafkajs$/],
    ['kafka = {}', 'redrive --from orders', /^handle-once: kafka of --config must be a Kafka of kafkajs$/],
    ['sql = null', 'status', /^handle-once: sql of .*config\.mjs must be a client/],
    [
      'handleOnce = {}',
      'status',
      /^handle-once: handleOnce of .*config\.mjs must be made by createHandleOnce/,
    ],
    [
      'sqs = {}',
      'doctor --queue-url http://localhost/0/q',
      /^handle-once: sqs of --config must be an SQSClient/,
    ],
    [
      'sqs = {}',
      'redrive --from http://localhost/0/q --to http://localhost/0/p',
      /^handle-once: sqs of --config must be an SQSClient/,
    ],
  ])('since a module exports %s, %s names the export', async (exported, args, message) => {
    const config = await configFile(`export const ${exported};`);
    const { code, stdout, stderr } = await cli(`${args} --config ${config}`);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim()).toMatch(message);
  });

  test('since the brokers are down, doctor says so', async () => {
    const config = await configFile(`
      import { createRequire } from 'node:module';
      const { Kafka } = createRequire(${JSON.stringify(join(ROOT, 'package.json'))})('kafkajs');
      export const kafka = new Kafka({ brokers: ['127.0.0.1:1'], logLevel: 0, retry: { retries: 0 } });`);
    const { code, stdout } = await cli(`doctor --topics orders --config ${config}`);
    expect(code).toBe(3);
    expect(stdout).toMatch(/topic-retention +notice .*Check that the brokers can be reached/);
  });

  test.each<[string, string, number, RegExp, Record<string, string>?]>([
    ['no database is named', 'status', 2, /set DATABASE_URL, or give/, {}],
    ['a command is unknown', 'frobnicate', 2, /unknown command/],
    ['an option is missing', 'forget key', 2, /--scope/],
    ['a port is too high', 'dashboard --port 65536', 2, /--port .*from 0 to 65535/],
    ['a step has no name', 'forget key --scope a --step ', 2, /--step must not be empty/],
    ['a key has no scope', 'retry key', 2, /--scope is missing: each scope has its own record for a key/],
    [
      'an option is for many',
      'retry key --scope a --error b',
      2,
      /--error, --since, --until and --confirm are for many/,
    ],
    [
      'a time is for many',
      'retry key --scope a --since 1h',
      2,
      /--since, --until and --confirm are for many/,
    ],
    ['a day does not exist', 'list --since 2026-02-30', 2, /It is not a time/],
    ['a moment has no time zone', 'list --since 2026-11-25T14:00', 2, /with Z or an offset such as \+01:00/],
    [
      'no record can be both',
      'list --state failed --phase running',
      2,
      /phase.* does not occur with this state: leave out one of the two/,
    ],
    [
      'a password breaks the URL',
      'status --database-url postgres://u:se/cret#x@127.0.0.1:5432/x',
      2,
      /^handle-once: DATABASE_URL, or --database-url, is not a URL: .*percent-encode special(?!.*cret)/,
    ],
    [
      'a parameter is one of Prisma',
      'status --database-url postgres://u@127.0.0.1/x?schema=public&pgbouncer=true',
      2,
      /has parameters that PostgreSQL does not know: remove schema, pgbouncer from it/,
    ],
    ['no time lies between', 'list --until 25h', 2, /--until must be later: the time ends before it begins/],
    [
      'a moment is none',
      'list --since 2026-13-99',
      2,
      /--since <time>' argument '2026-13-99' is invalid. It is not a time: write 2026-11-25T/,
    ],
    ['a moment has parts of a millisecond', 'list --since 2026-01-01T00:00:00.0001Z', 2, /It is not a time/],
    ['a moment is to come', 'retry --until 9999-01-01', 2, /--until <time>' .* It is in the future/],
    ['options exclude each other', 'list --all --limit 5', 2, /'--all' cannot be used with option '--limit/],
    [
      'a time is none',
      'list --since soon',
      2,
      /--since <time>' argument 'soon' is invalid. Write a time from 1s to 3650d.*, or a moment such as 2026-/,
    ],
    ['the URL is not a URL', 'status --database-url nonsense', 2, /is not a URL: write postgres:/],
    ['a module is missing', 'status --config missing.mjs', 2, /missing.mjs cannot be loaded: /],
    ['a time is no whole number', 'list --since 1.5h', 2, /'1.5h' is invalid. Write a time from 1s/],
    ['a time has two units', 'list --since 1h30m', 2, /'1h30m' is invalid. Write a time from 1s/],
    [
      'a time is too short',
      'list --since 0s',
      2,
      /--since <time>' argument '0s' is invalid. Write a time from 1s/,
    ],
    ['a time is too long to wait', 'status --timeout 99999d', 2, /--timeout .* Write a time from 1s to 24d/],
    [
      'a value is out of range',
      'list --limit 1000000000',
      2,
      /--limit must be a whole number of records from 1 to .* \(got 1000000000\)/,
    ],
    [
      'a count is too long',
      'list --limit 1234567890123456',
      2,
      /--limit .* a whole number of at most 15 digits/,
    ],
    [
      'a password is not encoded',
      'status --database-url postgres://u:50%secret@127.0.0.1/x',
      2,
      /^handle-once: DATABASE_URL, or --database-url, has a % .*: percent-encode the user and the password/,
    ],
    ['a queue is no URL', 'doctor --queue-url orders', 2, /--queue-url is not a URL: write https:/],
    [
      'a version does not exist',
      'sql --after 99',
      2,
      /^handle-once: --after must be a whole number of migrations/,
    ],
    ['a pool is not given', 'doctor --concurrency 5', 2, /--concurrency needs --config/],
    ['an admin client is not given', 'doctor --topics orders', 2, /--topics needs --config/],
    [
      'a schema has no tables',
      'status --schema other',
      1,
      /tables of handle-once are missing.*run .*npx handle-once migrate/,
    ],
    [
      'the database that is examined is out of reach',
      'doctor',
      1,
      /cannot be reached/,
      { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' },
    ],
    [
      'the database is out of reach',
      'status',
      1,
      /cannot be reached/,
      { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' },
    ],
  ])('since %s, it says so in one line', async (_, args, code, message, env) => {
    const ended = await cli(args, env);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });
});

/** A project of its own, with some of the packages that this one has. */
async function projectWith(...packages: string[]): Promise<string> {
  const folder = temporaryDirectory('handle-once-cli-');
  onTestFinished(() => {
    folder.remove();
  });
  await mkdir(join(folder.path, 'node_modules'));
  for (const name of packages) {
    await symlink(join(ROOT, 'node_modules', name), join(folder.path, 'node_modules', name));
  }
  return folder.path;
}

test.each(['postgres', 'pg'])('it uses %s where the project has that', async (name) => {
  await failed('order-7');
  const { code, stdout } = await run('list', { DATABASE_URL: url }, await projectWith(name));
  expect([code, stdout]).toEqual([0, expect.stringContaining('order-7')]);
});

test('where the project has neither, it says what to install', async () => {
  const { code, stderr } = await run('list', { DATABASE_URL: url }, await projectWith());
  expect([code, stderr]).toEqual([2, expect.stringContaining('npm install postgres')]);
});

test('--config gives a client of your own, which is closed', async () => {
  const config = await configFile(
    `import postgres from ${JSON.stringify(join(ROOT, 'node_modules/postgres/src/index.js'))};
     export const sql = postgres(${JSON.stringify(url)});`,
  );
  await failed('order-7');
  const { code, stdout } = await run(`list --config ${config}`, {});
  expect([code, stdout]).toEqual([0, expect.stringContaining('order-7')]);
});
