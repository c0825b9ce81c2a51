import { InvalidOptionsError } from 'handle-once';
import { countRecords, listRecords, type ListRecordsOptions, type RecordPhase } from 'handle-once/operations';
import { beforeEach, describe, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { type Given, recordsIn } from './support/given-record.ts';

const { sql } = useDatabase();
const record = recordsIn(sql);

const scope = 'billing';
const HOUR = 3_600_000;

beforeEach(async () => {
  await sql`delete from handle_once.records`;
});

type Asked = Omit<ListRecordsOptions, 'sql'>;

const ago = (ms: number): Date => new Date(Date.now() - ms);

async function keysOf(asked: Asked): Promise<string> {
  const { records } = await listRecords({ sql, ...asked });
  return records.map(({ key }) => key).join('');
}

const stored = (error: object): string => JSON.stringify(error);

describe('A list', () => {
  test('has the newest first, of a time, a scope and a state', async () => {
    for (const [n, key] of ['a', 'b', 'c', 'd'].entries()) await record({ key, ageMs: n * HOUR });
    await record({ key: 'e', state: 'failed', ageMs: 500 });
    await record({ key: 'old', ageMs: 25 * HOUR });
    expect(await keysOf({})).toBe('aebcd');
    expect(await keysOf({ state: 'failed' })).toBe('e');
    expect(await keysOf({ since: ago(1.5 * HOUR) })).toBe('aeb');
    expect(await keysOf({ since: new Date(0) })).toBe('aebcdold');
    expect(await keysOf({ until: ago(1.5 * HOUR) })).toBe('cd');
    expect(await keysOf({ since: ago(2.5 * HOUR), until: ago(0.5 * HOUR) })).toBe('bc');
    expect(await keysOf({ limit: 2 })).toBe('ae');
    expect(await keysOf({ scope: 'mail' })).toBe('');
    expect(await keysOf({ scope, state: 'pending' })).toBe('');
    expect(await keysOf({ order: 'oldest', limit: 2 })).toBe('dc');
  });

  test('finds a record by its own time, to the millisecond', async () => {
    const fractions = [0, 0.0001, 0.0004, 0.0005, 0.0009, 0.001];
    for (const [n, fraction] of fractions.entries()) {
      await record({ key: `${n}` });
      await sql`
        update handle_once.records
        set created_at = date_trunc('milliseconds', created_at) + ${fraction} * interval '1 second' where key = ${`${n}`}`;
    }
    for (const { key, createdAt } of (await listRecords({ sql })).records) {
      const until = new Date(createdAt.getTime() + 1);
      expect(await keysOf({ since: createdAt, until, order: 'oldest' })).toContain(key);
      expect(await keysOf({ since: until })).not.toContain(key);
    }
  });

  const PHASES: [RecordPhase, Given][] = [
    ['running', { state: 'pending', owned: true }],
    ['lapsed', { state: 'pending', owned: true, liveForMs: -1 }],
    ['backing-off', { state: 'pending' }],
    ['waiting', { state: 'pending', liveForMs: -1 }],
    ['succeeded', {}],
    ['failed', { state: 'failed' }],
    ['expired', { state: 'failed', liveForMs: -1 }],
  ];

  test.each(PHASES)('of the phase %s', async (phase, given) => {
    for (const [n, [, one]] of PHASES.entries()) await record({ ...one, key: `k${n}` });
    await record({ ...given, key: 'k' });
    const { records } = await listRecords({ sql, phase });
    expect(records.map(({ key }) => key)).toContain('k');
    expect(new Set(records.map((found) => found.phase))).toEqual(new Set([phase]));
    expect(records).toHaveLength(2);
  });

  test('says whether there are more, and goes on behind the last', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await record({ key });
    // Two of one moment are told apart by their keys.
    await sql`update handle_once.records set created_at = now() - interval '1 minute' where key in ('b', 'c', 'd')`;
    await sql`update handle_once.records set created_at = now() - interval '1 hour' where key = 'e'`;
    for (const [order, all] of [
      ['newest', 'adcbe'],
      ['oldest', 'ebcda'],
    ] as const) {
      const pages: string[] = [];
      let after: string | undefined;
      do {
        const { records, next } = await listRecords({ sql, order, limit: 2, after });
        pages.push(records.map(({ key }) => key).join(''));
        after = next;
      } while (after !== undefined);
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(pages.join('')).toBe(all);
    }
    expect(await listRecords({ sql, limit: 5 })).not.toHaveProperty('next');
  });
});

test('A record in a list has what there is to say about it, and no more', async () => {
  await record({ key: 'a' });
  const at = expect.any(Date) as Date;
  expect((await listRecords({ sql })).records).toEqual([
    {
      ...{ scope, key: 'a', state: 'succeeded', phase: 'succeeded', attempts: 3, failures: 2, deaths: 1 },
      ...{
        createdAt: at,
        beganAt: at,
        liveUntil: at,
        worker: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      },
    },
  ]);
});

test.each<[keyof Asked, unknown, string]>([
  ['error', '', 'the name or the code of an error'],
  ['error', 404, 'the name or the code of an error'],
  ['state', 'running', "must be 'pending', 'succeeded' or 'failed'"],
  ['phase', 'pending', "must be one of 'running', 'lapsed'"],
  ['order', 'last', "must be 'newest' or 'oldest'"],
  ['limit', 10_001, 'from 1 to 10,000'],
  ['until', new Date(0), 'must be later: the time ends'],
  ['since', 3_600_000, 'a Date since 1970'],
  ['since', new Date(NaN), 'a Date since 1970'],
  ['until', new Date(-1), 'a Date since 1970'],
  ['after', 'a', 'the next of a page'],
  ['after', '["a1","billing","a"]', 'the next of a page'],
  ['after', '["1a","billing","a"]', 'the next of a page'],
  ['after', '["1",1,"a"]', 'the next of a page'],
  ['after', '["1","billing"]', 'the next of a page'],
])('No list has the %s %j', async (name, value, words) => {
  const refused = listRecords({ sql, [name]: value });
  await expect(refused).rejects.toThrow(InvalidOptionsError);
  await expect(refused).rejects.toThrow(words);
});

describe('Records with an error', () => {
  beforeEach(async () => {
    const blocked = { name: 'TerminalError', message: 'no "code":"FAKE" here', code: 'BLOCKED' };
    await record({ key: 'a', state: 'failed', error: stored(blocked), ageMs: 2 * HOUR });
    await record({ key: 'b', state: 'failed', error: stored({ ...blocked, cause: { name: 'X' } }) });
    await record({ key: 'c', state: 'failed', error: stored({ name: 'HttpError', message: '', code: 404 }) });
    await record({ key: 'd', state: 'pending', error: stored({ name: 'Odd"\\Error', message: '\n\\"' }) });
    await record({ key: 'e', state: 'failed', error: '{' });
    await record({ key: 'f', state: 'failed', scope: 'mail' });
    await record({ key: 'g', error: stored(blocked) });
    await sql`update handle_once.records set created_at = created_at - ascii(key) * interval '1 second'`;
  });

  test.each<[string, string]>([
    ['TerminalError', 'ba'],
    ['BLOCKED', 'ba'],
    ['404', 'c'],
    ['Odd"\\Error', 'd'],
    ['FAKE', ''],
    ['X', ''],
    ['Terminal', ''],
  ])('are listed by its name or code, %j', async (error, keys) => {
    expect(await keysOf({ error })).toBe(keys);
  });

  test('are counted by scope and error, the most frequent first', async () => {
    const counts = await countRecords({ sql });
    const times = { oldestAt: expect.any(Date) as Date, newestAt: expect.any(Date) as Date };
    expect(counts).toEqual([
      { ...times, scope, error: 'TerminalError', code: 'BLOCKED', records: 2 },
      { ...times, scope, records: 2 },
      { ...times, scope, error: 'HttpError', code: 404, records: 1 },
      { ...times, scope, error: 'Odd"\\Error', records: 1 },
      { ...times, scope: 'mail', records: 1 },
    ]);
    const [blocked] = counts;
    expect(Number(blocked?.newestAt) - Number(blocked?.oldestAt)).toBeGreaterThan(HOUR);
    expect(await countRecords({ sql, error: 'BLOCKED', until: ago(HOUR) })).toMatchObject([{ records: 1 }]);
    expect(await countRecords({ sql, state: 'succeeded', scope: 'mail' })).toEqual([]);
  });
});
