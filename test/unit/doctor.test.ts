import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ageOf } from '../../adapters/operations/doctor/ages.ts';
import { pooler, poolSize } from '../../adapters/operations/doctor/connections.ts';
import type { Check, Subject } from '../../adapters/operations/doctor/finding.ts';
import { horizon } from '../../adapters/operations/doctor/horizon.ts';
import { hotUpdates, indexes, storage } from '../../adapters/operations/doctor/hot-updates.ts';
import { named } from '../../adapters/operations/doctor/leaves.ts';
import { publications } from '../../adapters/operations/doctor/publications.ts';
import { rowSecurity } from '../../adapters/operations/doctor/row-security.ts';
import { schemaVersion } from '../../adapters/operations/doctor/schema-version.ts';
import { clock, isolation } from '../../adapters/operations/doctor/session.ts';
import { tables } from '../../adapters/operations/doctor/tables.ts';
import { deadRows, maintenance } from '../../adapters/operations/doctor/upkeep.ts';
import { ALL_TABLES } from '../../src/postgres/shape.ts';
import { StoreError } from '../../src/words/errors.ts';
import type { DatabaseClient, DatabaseRow } from '../../src/postgres/database-client.ts';

type Rows = readonly DatabaseRow[];

/** A subject whose database gives an answer to each statement in turn, and then the last one. */
function answering(...answers: Rows[]): Subject {
  const query = vi.fn<DatabaseClient['query']>();
  for (const rows of answers.slice(0, -1)) query.mockResolvedValueOnce(rows);
  query.mockResolvedValue(answers.at(-1) ?? []);
  return {
    client: { query } as Partial<DatabaseClient> as DatabaseClient,
    schema: 'orders',
    concurrency: undefined,
  };
}

/** A level, and what the text has. */
type Expected = readonly [level: string, found: string];

async function finds(check: Check, subject: Subject, [level, found]: Expected): Promise<void> {
  expect(await check(subject)).toMatchObject({ level, found: expect.stringContaining(found) as string });
}

test.each([
  ['0', '0 seconds'],
  ['-5', '0 seconds'],
  ['119', '119 seconds'],
  ['120', '2 minutes'],
  ['7199', '119 minutes'],
  ['7200', '2 hours'],
  ['172799', '47 hours'],
  ['259199', '2 days'],
])('%s seconds are an age of %s', (seconds, text) => {
  expect(ageOf(seconds)).toEqual({ seconds: Math.max(0, Number(seconds)), text });
});

test.each([null, undefined])('%s is no age', (text) => {
  expect(ageOf(text)).toBeUndefined();
});

test('three names are listed, and the others counted', () => {
  expect(named(['a', 'b', 'c'])).toBe('a, b, c');
  expect(named(['a', 'b', 'c', 'd'])).toBe('a, b, c and 1 more');
});

describe('What is enough for a notice', () => {
  test.each<[what: string, check: Check, row: DatabaseRow | undefined, expected: Expected]>([
    ['nothing open', horizon, undefined, ['ok', 'the oldest open transaction or slot is 0 transactions old']],
    ['a young one', horizon, ['process 7', '99999', '1'], ['ok', 'slot is 99,999 transactions old']],
    [
      'an old one',
      horizon,
      ['process 7', '100000', null],
      ['notice', ': process 7, 100,000 transactions and an unknown time old'],
    ],
    ['no updates', hotUpdates, undefined, ['ok', '0 updates since statistics began']],
    ['few updates', hotUpdates, ['999', '0'], ['ok', '999 updates since statistics began: too few to judge']],
    ['HOT updates', hotUpdates, ['1000', '900'], ['ok', '90 % of 1,000 updates were HOT']],
    ['others', hotUpdates, ['1000', '899'], ['notice', '89 % of 1,000 updates were HOT: ']],
    [
      'few dead rows',
      deadRows,
      ['9999', '0', null, 'false'],
      ['ok', '9,999 dead rows and 0 live ones, never vacuumed'],
    ],
    [
      'many dead rows of more',
      deadRows,
      ['10000', '20001', '120', 'false'],
      ['ok', '10,000 dead rows and 20,001 live ones, vacuumed 2 minutes ago'],
    ],
    ['many dead rows', deadRows, ['10000', '20000', null, 'false'], ['notice', '10,000 dead rows']],
    [
      'no autovacuum',
      deadRows,
      ['0', '0', null, 'true'],
      ['notice', 'autovacuum is off for the records (0 dead'],
    ],
    ['new tables', maintenance, [null, '172799'], ['ok', 'no walk has ended yet; the tables are new']],
    ['tables of an unknown age', maintenance, [null, null], ['ok', 'the tables are new']],
    ['older tables', maintenance, [null, '172800'], ['notice', 'since the tables were made, 2 days ago']],
    ['a walk of late', maintenance, ['172799', null], ['ok', 'the last walk ended 47 hours ago']],
    ['an older walk', maintenance, ['172800', null], ['notice', 'the last walk ended 2 days ago']],
    ['read uncommitted', isolation, ['read uncommitted', 'r'], ['ok', 'the default is read uncommitted']],
    ['repeatable read', isolation, ['repeatable read', 'r'], ['notice', 'the default is repeatable read']],
  ])('%s', async (_, check, row, expected) => {
    await finds(check, answering(row === undefined ? [] : [row]), expected);
  });

  test('of several that are open, the old ones are named', async () => {
    const { found } = await horizon(
      answering([
        ['a', '200000', '60'],
        ['b', '1', '1'],
      ]),
    );
    expect(found).toMatch(/: a, 200,000 transactions and 60 seconds old$/);
  });
});

describe('The clock of the database', () => {
  const now = 1_800_000_000_000;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test.each<[aheadMs: number, expected: Expected]>([
    [1_000, ['ok', 'within a second']],
    [-1_000, ['ok', 'within a second']],
    [1_001, ['notice', 'is 1.0 s ahead of']],
    [-1_001, ['notice', 'is 1.0 s behind']],
  ])('is %i ms ahead', async (aheadMs, expected) => {
    await finds(clock, answering([[String(now + aheadMs)]]), expected);
  });

  test('may be that of any moment of the round trip', async () => {
    const { client, ...subject } = answering([[String(now + 4_000)]]);
    const query: DatabaseClient['query'] = async (...given) => {
      vi.setSystemTime(now + 8_000);
      return await client.query(...given);
    };
    await finds(clock, { ...subject, client: { ...client, query } }, ['ok', 'within a second']);
  });
});

describe('Of several tables', () => {
  const OTHERS = ', and the same for the others';

  test.each<[what: string, check: Check, rows: Rows, expected: Expected, fix: string]>([
    [
      'filled pages',
      storage,
      [['t.a', '51', 'false']],
      ['notice', 't.a has fillfactor 51: '],
      'vacuum_truncate = off)`',
    ],
    [
      'no option, and a lock',
      storage,
      [
        ['t.a', '50', 'false'],
        ['t.b', null, 'false'],
        ['t.c', '50', 'true'],
      ],
      ['notice', 't.b has fillfactor 100, t.c has vacuum_truncate on: '],
      `run \`alter table t.b set (fillfactor = 50, vacuum_truncate = off)\`${OTHERS}`,
    ],
    [
      'indexes',
      indexes,
      [['t.x'], ['t.y']],
      ['notice', 'handle-once did not create t.x, t.y: '],
      `run \`drop index concurrently t.x\`${OTHERS}, or search a copy of the table`,
    ],
    [
      'one that is published',
      publications,
      [['t.census', 'all', 'false', 'true']],
      ['notice', 't.census has no replica identity, and is in the publication all: '],
      'run `alter table t.census replica identity default`, as the owner of the tables',
    ],
    [
      'several that are published',
      publications,
      [
        ['t.records', 'all', 'true', 'false'],
        ['t.census', 'all', 'false', 'true'],
      ],
      ['problem', 't.records, t.census have no replica identity, and are in the publication all: '],
      `run \`alter table t.records replica identity full\`${OTHERS}, as the owner of the tables`,
    ],
  ])('%s', async (_, check, rows, expected, fix) => {
    await finds(check, answering(rows), expected);
    expect((await check(answering(rows))).fix?.endsWith(fix)).toBe(true);
  });

  test.each<[hides: string, ofWorkers: Rows, ofMaintenance: Rows, expected: Expected, others: string]>([
    ['none', [], [], ['ok', 'hides no table from this role'], ''],
    [
      'one for both uses',
      [['workers', 'select, insert']],
      [['workers', 'select']],
      [
        'notice',
        'is on for workers (select, insert), and no policy is for the role of the client: maintenance, or',
      ],
      '',
    ],
    [
      'one for each',
      [['workers', 'select']],
      [['census', 'select']],
      ['notice', 'is on for workers (select) and census (select), and'],
      OTHERS,
    ],
    ['the records', [], [['records', 'delete']], ['problem', 'is on for records (delete), and'], ''],
    [
      'the records and another',
      [['records', 'update']],
      [['census', 'select']],
      ['problem', 'is on for records (update) and census (select), and'],
      OTHERS,
    ],
  ])('row level security hides %s', async (_, ofWorkers, ofMaintenance, expected, others) => {
    await finds(rowSecurity, answering(ofWorkers, ofMaintenance), expected);
    const { fix = '' } = await rowSecurity(answering(ofWorkers, ofMaintenance));
    expect(fix.endsWith(OTHERS)).toBe(others !== '');
  });
});

describe('Tables that have lost something', () => {
  const column = ['workers', 'column', 'host', null];
  const unlogged = ['records', 'unlogged', '', null];
  const ADD =
    'add the column as npx handle-once sql --schema orders prints it: migrate does not run a migration twice';

  test.each<[what: string, missing: Rows, faults: Rows, expected: Expected, fix: RegExp]>([
    ['nothing', [], [], ['ok', 'all exist, with their columns and keys'], /^$/],
    [
      'a column',
      [],
      [column],
      ['notice', 'in schema orders the table workers lacks the column host'],
      new RegExp(`^${ADD}$`),
    ],
    [
      'a column, and a log',
      [],
      [column, unlogged],
      ['problem', 'lacks the column host; the table records is UNLOGGED: '],
      /^run `alter table "orders"\."records" set logged`, .*, and correct the others in the same way$/,
    ],
    [
      'a key',
      [],
      [['stats', 'key', 'scope, minute', null]],
      ['notice', 'the table stats lacks the primary key (scope, minute)'],
      /^run `alter table "orders"\."stats" add primary key \(scope, minute\)`, as the owner of the tables$/,
    ],
    [
      'a key, and have another',
      [],
      [['records', 'key', 'scope, key', 'mine']],
      ['problem', 'lacks the primary key (scope, key), and has another one, or a deferrable one'],
      /^run `alter table "orders"\."records" drop constraint mine, add primary key \(scope, key\)`,/,
    ],
    [
      'a table',
      [['failures']],
      [],
      ['notice', 'lacks the table failures: messages are handled'],
      /as the owner of the tables, and then/,
    ],
    [
      'the records, and another table',
      [['failures'], ['records']],
      [],
      ['problem', 'lacks the tables failures, records: no message is handled'],
      /^restore the records from a backup/,
    ],
  ])('lack %s', async (_, missing, faults, expected, fix) => {
    await finds(tables, answering(missing, faults, []), expected);
    const { found, fix: toDo = '' } = await tables(answering(missing, faults, []));
    expect(toDo).toMatch(fix);
    if (expected[1].endsWith(')')) expect(found.endsWith(expected[1])).toBe(true);
  });

  test('do not exist yet', async () => {
    const none = answering(ALL_TABLES.map((table) => [table]));
    await finds(schemaVersion, none, ['problem', 'there are no tables in schema orders']);
  });
});

describe('A pool', () => {
  const pool = (maxConnections: number | undefined, concurrency?: number): Subject => {
    const { client, ...subject } = answering([]);
    return { ...subject, client: { ...client, maxConnections }, concurrency };
  };

  test.each<[subject: Subject, expected: Expected]>([
    [pool(undefined, 5), ['ok', 'the client does not say how many connections it opens']],
    [pool(5), ['ok', 'at most 5 connections']],
    [pool(5, 4), ['ok', 'at most 5 connections, for 4 handlers in transactions']],
    [pool(5, 5), ['notice', 'the pool of 5 connections is not larger than concurrency 5']],
  ])('%#', async (subject, expected) => {
    await finds(poolSize, subject, expected);
  });
});

describe('A pooler', () => {
  const NO_SIGN: Expected = ['ok', 'no sign of a pooler that shares server sessions'];
  const SURVIVES: Expected = ['ok', 'a pooler shares the server sessions; prepared statements survive that'];
  const LOST: Expected = [
    'problem',
    'a pooler shares the server sessions, and prepared statements do not survive',
  ];

  /** Session, copies of the statement, and whether PgBouncer named one. */
  test.each<[shows: string, answers: DatabaseRow[], expected: Expected]>([
    ['one session', [['7', '1', 'false']], NO_SIGN],
    ['copies from others before', [['7', '3', 'false']], NO_SIGN],
    [
      'a second copy in a session',
      [
        ['7', '1', 'false'],
        ['7', '2', 'false'],
      ],
      LOST,
    ],
    [
      'a second copy, and one less',
      [
        ['7', '1', 'false'],
        ['7', '2', 'false'],
        ['7', '1', 'false'],
      ],
      LOST,
    ],
    [
      'first copies in two sessions',
      [
        ['7', '1', 'false'],
        ['8', '2', 'false'],
      ],
      NO_SIGN,
    ],
    [
      'names of PgBouncer',
      [
        ['7', '1', 'true'],
        ['7', '1', 'false'],
      ],
      SURVIVES,
    ],
  ])('shows %s', async (_, answers, expected) => {
    await finds(pooler, answering(...answers.map((row) => [row])), expected);
  });

  test.each<[maxConnections: number | undefined, expected: Expected]>([
    [undefined, NO_SIGN],
    [2, NO_SIGN],
    [1, SURVIVES],
  ])('of two sessions where the pool has %s', async (maxConnections, expected) => {
    const { client, ...subject } = answering([['7', '0', 'false']], [['8', '0', 'false']]);
    await finds(pooler, { ...subject, client: { ...client, maxConnections } }, expected);
  });

  test.each(['26000', '42P05'])('shows %s once', async (code) => {
    const { client, ...subject } = answering([]);
    const query = vi
      .fn<DatabaseClient['query']>()
      .mockResolvedValue([['7', '1', 'false']])
      .mockRejectedValueOnce(Object.assign(new Error('gone'), { code }));
    await finds(pooler, { ...subject, client: { ...client, query } }, LOST);
  });

  test('is not looked for where the database cannot be asked', async () => {
    const { client, ...subject } = answering([]);
    const query = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    await expect(pooler({ ...subject, client: { ...client, query } })).rejects.toThrow(StoreError);
  });

  test('is looked for by one statement, and by two at once', async () => {
    let atOnce = 0;
    const seen: number[] = [];
    const { client, ...subject } = answering([['7', '1', 'false']]);
    const query: DatabaseClient['query'] = async (...given) => {
      atOnce += 1;
      seen.push(atOnce);
      const rows = await client.query(...given);
      atOnce -= 1;
      return rows;
    };
    await finds(pooler, { ...subject, client: { ...client, query } }, NO_SIGN);
    expect(seen).toEqual([1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2]);
  });
});
