import {
  createHandleOnce,
  type DatabaseClient,
  InvalidOptionsError,
  migrate,
  TerminalError,
} from 'handle-once';
import { lastWalkAt, maintain, readStatus } from 'handle-once/operations';
import { beforeEach, describe, expect, test } from 'vitest';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useDatabase } from '../support/database.ts';
import { publishAllTables } from '../support/published.ts';

const { sql } = useDatabase();
// Whatever they do works beside logical replication too.
publishAllTables(sql);

const DAY = 86_400_000;

interface Given {
  readonly key: string;
  readonly scope?: string;
  readonly state?: 'pending' | 'succeeded' | 'failed';
  readonly owned?: boolean;
  /** Milliseconds from now. */
  readonly liveForMs: number;
}

async function record({ key, scope = 'billing', state = 'succeeded', owned = false, liveForMs }: Given) {
  await sql`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    values (${scope}, ${key}, gen_random_uuid(), '', ${state}, ${owned}, 1,
      now() + ${liveForMs} * interval '1 millisecond', now() - interval '40 days')`;
}

async function keys(): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`select key from handle_once.records order by key`;
  return rows.map(({ key }) => key);
}

beforeEach(async () => {
  await sql`delete from handle_once.records`;
  await sql`delete from handle_once.maintenance`;
  await sql`delete from handle_once.census`;
});

describe('What is deleted', () => {
  test.each<[string, Given, boolean]>([
    ['a success that has expired', { key: 'k', liveForMs: -1 }, true],
    ['a failure that has expired', { key: 'k', state: 'failed', liveForMs: -1 }, true],
    ['a success that answers redeliveries', { key: 'k', liveForMs: DAY }, false],
    ['a failure that answers redeliveries', { key: 'k', state: 'failed', liveForMs: DAY }, false],
    ['a message that runs', { key: 'k', state: 'pending', owned: true, liveForMs: 30_000 }, false],
    ['a message whose backoff runs', { key: 'k', state: 'pending', liveForMs: 30_000 }, false],
    ['a lease that lapsed', { key: 'k', state: 'pending', owned: true, liveForMs: -1 }, false],
    ['a message abandoned for 29 days', { key: 'k', state: 'pending', liveForMs: -29 * DAY }, false],
    ['a message abandoned for 31 days', { key: 'k', state: 'pending', liveForMs: -31 * DAY }, true],
    [
      'a lease that lapsed 31 days ago',
      { key: 'k', state: 'pending', owned: true, liveForMs: -31 * DAY },
      true,
    ],
  ])('%s', async (_, given, isPurged) => {
    await record(given);
    expect(await maintain({ sql })).toMatchObject({ state: 'finished', purged: isPurged ? 1 : 0 });
    expect(await keys()).toEqual(isPurged ? [] : ['k']);
  });

  test('a later delivery of it runs', async () => {
    const handleOnce = createHandleOnce({ sql, scope: 'billing' });
    await record({ key: 'k', state: 'pending', liveForMs: -31 * DAY });
    await maintain({ sql });
    expect(await handleOnce('k', 'body', () => 'ran')).toMatchObject({ result: 'ran', attempts: 1 });
  });

  test('nothing that a transaction holds: it is there at the next walk', async () => {
    await record({ key: 'held', liveForMs: -1 });
    await record({ key: 'free', liveForMs: -1 });
    await sql.begin(async (tx) => {
      await tx`select from handle_once.records where key = 'held' for update`;
      expect(await maintain({ sql })).toMatchObject({ state: 'finished', purged: 1 });
    });
    expect(await keys()).toEqual(['held']);
    expect(await maintain({ sql })).toMatchObject({ purged: 1 });
  });

  test('the first pages stay, so that plans find records by key', async () => {
    const pages = async () =>
      Number((await sql`select pg_relation_size('handle_once.records') / 8192 as pages`)[0]?.['pages']);
    const before = await pages();
    expect(before).toBeGreaterThanOrEqual(30);
    await record({ key: 'k', liveForMs: -1 });
    await maintain({ sql });
    await sql`vacuum handle_once.records`;
    expect(await pages()).toBeGreaterThanOrEqual(before);
  });
});

describe('Claims beside it', () => {
  test('that take over expired records run once each, and none is lost', async () => {
    const count = 2_000;
    await sql`
      insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
      select 'billing', n::text, gen_random_uuid(), '', 'succeeded', false, 1, now() - interval '1 day', now()
      from generate_series(1, ${count}) n`;
    const handleOnce = createHandleOnce({ sql, scope: 'billing' });
    const ran = new Map<string, number>();
    const claims = Array.from({ length: count }, (_, n) => {
      const key = String(n + 1);
      return handleOnce(key, 'body', () => void ran.set(key, (ran.get(key) ?? 0) + 1));
    });
    const reports = await Promise.all([maintain({ sql }), maintain({ sql }), maintain({ sql })]);
    const outcomes = await Promise.all(claims);
    expect(outcomes.every(({ state }) => state === 'succeeded')).toBe(true);
    expect([ran.size, Math.max(...ran.values())]).toEqual([count, 1]);
    expect(await keys()).toHaveLength(count);
    expect(reports.filter(({ state }) => state === 'busy').length).toBeLessThanOrEqual(2);
  });
});

describe('The census', () => {
  test('counts what is left, by scope and state', async () => {
    await record({ key: 'a', liveForMs: DAY });
    await record({ key: 'b', liveForMs: DAY });
    await record({ key: 'c', liveForMs: -1 });
    await record({ key: 'd', state: 'failed', liveForMs: DAY });
    await record({ key: 'e', state: 'pending', liveForMs: -15 * DAY });
    await record({ key: 'f', state: 'pending', liveForMs: -1 });
    await record({ key: 'a', scope: 'mail', liveForMs: DAY });
    expect(await readStatus({ sql })).toEqual([]);
    const report = await maintain({ sql });
    expect(report).toEqual({ state: 'finished', purged: 1, records: 6, abandoned: 1 });
    const census = await readStatus({ sql });
    expect(census).toMatchObject([
      { scope: 'billing', state: 'failed', records: 1, abandoned: 0 },
      { scope: 'billing', state: 'pending', records: 2, abandoned: 1 },
      { scope: 'billing', state: 'succeeded', records: 2, abandoned: 0 },
      { scope: 'mail', state: 'succeeded', records: 1, abandoned: 0 },
    ]);
    for (const { oldestAt, takenAt } of census) {
      expect(Date.now() - oldestAt.getTime()).toBeGreaterThan(39 * DAY);
      expect(Math.abs(Date.now() - takenAt.getTime())).toBeLessThan(60_000);
    }
  });

  test('forgets scopes that have no record any more', async () => {
    await record({ key: 'a', scope: 'gone', liveForMs: DAY });
    await maintain({ sql });
    await sql`delete from handle_once.records`;
    await maintain({ sql });
    expect(await readStatus({ sql })).toEqual([]);
  });

  test('takes any scope as it is', async () => {
    const scope = 'a"b\\c{d},é👍';
    await record({ key: 'a', scope, liveForMs: DAY });
    await maintain({ sql });
    expect(await readStatus({ sql })).toMatchObject([{ scope, records: 1 }]);
  });
});

describe('The end of the last walk', () => {
  const secondsAgo = async () => (Date.now() - ((await lastWalkAt({ sql }))?.getTime() ?? NaN)) / 1_000;

  test('is not known before the first, nor of one that was stopped', async () => {
    expect(await lastWalkAt({ sql })).toBeUndefined();
    await record({ key: 'k', liveForMs: DAY });
    await maintain({ sql, signal: AbortSignal.abort() });
    expect(await lastWalkAt({ sql })).toBeUndefined();
  });

  test('is not known of a first one that died at once', async () => {
    await sql`
      insert into handle_once.maintenance (runner, live_until, due_at)
      values (gen_random_uuid(), now() - interval '1 minute', now() - interval '2 minutes')`;
    expect(await lastWalkAt({ sql })).toBeUndefined();
  });

  test('is known where there were records, and where there were none', async () => {
    await maintain({ sql });
    expect(Math.abs(await secondsAgo())).toBeLessThan(60);
    await record({ key: 'k', liveForMs: DAY });
    await maintain({ sql });
    await sql`update handle_once.census set taken_at = now() - interval '2 hours'`;
    expect(Math.round((await secondsAgo()) / 3_600)).toBe(2);
  });
});

describe('The archive', () => {
  test('has what was deleted, whole, in the month of its deletion', async () => {
    const handleOnce = createHandleOnce({ sql, scope: 'billing' });
    await handleOnce('ok', 'body', () => ({ id: 7 }));
    await handleOnce('bad', 'body', () => {
      throw new TerminalError('card is blocked');
    });
    await sql`update handle_once.records set live_until = now()`;
    const before = await sql`select * from handle_once.records order by key`;
    expect(await maintain({ sql, archive: true })).toMatchObject({ purged: 2 });
    const lines = await sql`select * from handle_once.archive order by key`;
    expect(lines).toHaveLength(2);
    for (const [n, { purged_at, ...line }] of lines.entries()) {
      expect(before[n]).toMatchObject(line);
      expect(Math.abs(Date.now() - (purged_at as Date).getTime())).toBeLessThan(60_000);
    }
    const partitions = await sql`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'handle_once.archive'::regclass order by 1`;
    const [year, month] = new Date().toISOString().split('-');
    expect(partitions[0]?.['name']).toBe(`handle_once.archive_${year}_${month}`);
    expect(partitions).toHaveLength(2);
  });

  test('whose partition of this month is there and not attached is named', async () => {
    const [year, month] = new Date().toISOString().split('-');
    const name = `archive_${year ?? ''}_${month ?? ''}`;
    await maintain({ sql, archive: true });
    await sql.unsafe(`alter table handle_once.archive detach partition handle_once.${name}`);
    await record({ key: 'k', liveForMs: -1 });
    await expect(maintain({ sql, archive: true })).rejects.toThrow(
      /not a partition of the archive .*attach it/,
    );
    expect(await keys()).toEqual(['k']);
    await sql.unsafe(`drop table handle_once.${name}`);
    expect(await maintain({ sql, archive: true })).toMatchObject({ purged: 1 });
  });

  test('is empty where it was not asked for', async () => {
    await sql`truncate handle_once.archive`;
    await record({ key: 'k', liveForMs: -1 });
    await maintain({ sql });
    expect(await sql`select * from handle_once.archive`).toEqual([]);
  });
});

describe('A walk', () => {
  test('of a partitioned table goes through each of its leaves, also from where a limit ended it', async () => {
    await migrate(sql, { schema: 'parted' });
    await sql.unsafe(`
      alter table parted.records rename to plain;
      create table parted.records (like parted.plain including defaults) partition by hash (scope, key);
      alter table parted.records add constraint parted_pkey primary key (scope, key);
      create table parted."Leaf 1" partition of parted.records for values with (modulus 2, remainder 0);
      create table parted.leaf_2 partition of parted.records for values with (modulus 2, remainder 1)
        partition by range (key);
      create table parted.leaf_2_1 partition of parted.leaf_2 for values from (minvalue) to ('5');
      create table parted.leaf_2_2 partition of parted.leaf_2 for values from ('5') to (maxvalue);
      insert into parted.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
      select 'billing', n::text, gen_random_uuid(), '', 'succeeded', false, 1,
        now() + (n % 2 - 0.5) * interval '1 day', now()
      from generate_series(1, 100) n`);
    const figures = { records: 50, abandoned: 0 };
    let report = await maintain({ sql, databaseSchema: 'parted', maxPurged: 1 });
    // Each leaf is one step.
    expect(report).toMatchObject({ state: 'stopped', reason: 'limit' });
    while (report.state !== 'finished')
      report = await maintain({ sql, databaseSchema: 'parted', maxPurged: 1 });
    expect(report).toEqual({ state: 'finished', purged: 50, ...figures });
    expect(await maintain({ sql, databaseSchema: 'parted' })).toEqual({
      state: 'finished',
      purged: 0,
      ...figures,
    });
  });

  test('that a limit ends goes on from there, and counts as one', async () => {
    await sql`
      insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
      select 'billing', n::text, gen_random_uuid(), '', 'succeeded', false, 1,
        now() + (n % 2 - 0.5) * interval '1 day', now()
      from generate_series(1, 20000) n`;
    let calls = 0;
    let steps = 0;
    const client = toDatabaseClient(sql) as DatabaseClient;
    const counting: DatabaseClient = {
      ...client,
      query(statement, parameters) {
        if (statement.includes('delete from only')) steps += 1;
        return client.query(statement, parameters);
      },
    };
    for (;;) {
      calls += 1;
      const report = await maintain({ sql: counting, maxPurged: 1 });
      if (report.state === 'finished') {
        expect(report).toEqual({ state: 'finished', purged: 10_000, records: 10_000, abandoned: 0 });
        break;
      }
      const purged = 20_000 - (await keys()).length;
      expect(report).toEqual({ state: 'stopped', reason: 'limit', purged });
    }
    expect(calls).toBeGreaterThan(5);
    expect(await readStatus({ sql })).toMatchObject([{ scope: 'billing', records: 10_000 }]);
    const ofAll = steps;
    steps = 0;
    await maintain({ sql: counting });
    expect(ofAll, 'no page was read twice').toBe(steps);
  });

  test('counts what it deletes for the limit, and not what stays', async () => {
    await sql`
      insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
      select 'billing', n::text, gen_random_uuid(), '', 'succeeded', false, 1,
        case when n % 1000 = 0 then now() else now() + interval '1 day' end, now()
      from generate_series(1, 10000) n`;
    const client = toDatabaseClient(sql) as DatabaseClient;
    // The database may answer in any order.
    const reversed: DatabaseClient = {
      ...client,
      query: async (...asked) => [...(await client.query(...asked))].reverse(),
    };
    expect(await maintain({ sql: reversed, maxPurged: 100 })).toMatchObject({
      state: 'finished',
      purged: 10,
      records: 9_990,
    });
  });

  test('that a signal ends while it deletes history leaves the rest to the next', async () => {
    await sql`
      insert into handle_once.failures (ended_at, attempt, scope, key, ending)
      select now() - interval '40 days', 1, 'gone', n::text, 'released' from generate_series(1, 20000) n`;
    const linesLeft = async () =>
      (await sql`select count(*)::int as lines from handle_once.failures where scope = 'gone'`)[0]?.[
        'lines'
      ] as number;
    const stopping = new AbortController();
    const client = toDatabaseClient(sql) as DatabaseClient;
    const stopped: DatabaseClient = {
      ...client,
      async query(statement, parameters) {
        const rows = await client.query(statement, parameters);
        if ((await linesLeft()) < 20_000) stopping.abort();
        return rows;
      },
    };
    expect(await maintain({ sql: stopped, signal: stopping.signal })).toMatchObject({ state: 'finished' });
    expect(await linesLeft()).toBeGreaterThan(0);
    await maintain({ sql });
    expect(await linesLeft()).toBe(0);
  });

  test.each([
    '{bad',
    'null',
    '{}',
    '{"leaf":"handle_once.records","page":0}',
    '{"leaf":"handle_once.records","page":"last","counts":[]}',
    '{"leaf":"handle_once.records","page":9,"counts":[{}]}',
  ])('that finds its place unreadable begins at the beginning: %s', async (place) => {
    await record({ key: 'a', liveForMs: -1 });
    await record({ key: 'b', liveForMs: DAY });
    await sql`
      insert into handle_once.maintenance (runner, live_until, due_at, purged, walk)
      values (gen_random_uuid(), now(), now(), 4, ${place})`;
    expect(await maintain({ sql })).toEqual({ state: 'finished', purged: 5, records: 1, abandoned: 0 });
  });

  test('ends at once for a signal that has aborted', async () => {
    await record({ key: 'k', liveForMs: -1 });
    expect(await maintain({ sql, signal: AbortSignal.abort() })).toEqual({
      state: 'stopped',
      reason: 'aborted',
      purged: 0,
    });
    expect(await keys()).toEqual(['k']);
  });
});

test.each([
  ['abandonedAfterMs', 0],
  ['purgeAbandonedAfterMs', 3_600_000],
  ['databaseSchema', 'a"b'],
  ['archive', 'yes'],
  ['maxMs', 0],
  ['maxPurged', 1.5],
  ['signal', {}],
  ['sql', 'postgres://'],
  ['typo', 1],
])('a wrong %s is refused by name', async (field, value) => {
  const refused: unknown = await maintain({ sql, [field]: value }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InvalidOptionsError);
  expect(refused).toMatchObject({ issues: [{ field }] });
});
