import { createHandleOnce, InvalidOptionsError, TerminalError } from 'handle-once';
import {
  countRecords,
  findRecords,
  forgetRecord,
  listRecords,
  retryFailed,
  type RecordPhase,
  retryRecord,
  showRecord,
} from 'handle-once/operations';
import { beforeEach, describe, expect, test } from 'vitest';
import { databaseNow } from '../../adapters/operations/database-now.ts';
import { inspectStatements } from '../../adapters/operations/statements/inspect.ts';
import { useDatabase } from '../support/database.ts';
import { type Given, recordsIn } from './support/given-record.ts';
import { publishAllTables } from '../support/published.ts';

const { sql } = useDatabase();
// Whatever they do works beside logical replication too.
publishAllTables(sql);

const scope = 'billing';

beforeEach(async () => {
  await sql`delete from handle_once.records`;
});

const record = recordsIn(sql);

const PHASES: [RecordPhase, Given][] = [
  ['running', { state: 'pending', owned: true }],
  ['lapsed', { state: 'pending', owned: true, liveForMs: -1 }],
  ['backing-off', { state: 'pending' }],
  ['waiting', { state: 'pending', liveForMs: -1 }],
  ['succeeded', {}],
  ['failed', { state: 'failed' }],
  ['expired', { state: 'failed', liveForMs: -1 }],
];

describe('A record is shown', () => {
  test.each(PHASES)('as %s', async (phase, given) => {
    await record(given);
    expect(await showRecord({ sql, scope, key: 'k' })).toMatchObject({
      ...{ scope, key: 'k', phase, state: given.state ?? 'succeeded' },
      ...{ attempts: 3, failures: 2, deaths: 1 },
    });
  });

  test('with what its handler threw, and its times', async () => {
    const handleOnce = createHandleOnce({ sql, scope });
    await handleOnce('k', 'body', () => {
      throw new TerminalError('card is blocked', { code: 'BLOCKED' });
    });
    const shown = await showRecord({ sql, scope, key: 'k' });
    expect(shown).toMatchObject({
      ...{ phase: 'failed', failedReason: 'terminal', attempts: 1 },
      error: { name: 'TerminalError', message: 'card is blocked', code: 'BLOCKED' },
    });
    expect(Math.abs(Date.now() - (shown?.createdAt.getTime() ?? 0))).toBeLessThan(60_000);
    expect(shown?.liveUntil.getTime()).toBeGreaterThan(Date.now());
  });

  test('without its result, unless that is asked for', async () => {
    await record({});
    expect(JSON.stringify(await showRecord({ sql, scope, key: 'k' }))).not.toContain('41111');
    expect(await showRecord({ sql, scope, key: 'k', result: true })).toMatchObject({
      result: '{"card":"41111"}',
    });
  });

  test('whose error is damaged all the same', async () => {
    await record({ state: 'failed' });
    await sql`update handle_once.records set error = '{'`;
    expect(await showRecord({ sql, scope, key: 'k' })).not.toHaveProperty('error');
  });

  test('that has succeeded without the error of an attempt before that', async () => {
    const handleOnce = createHandleOnce({ sql, scope, backoff: () => 0 });
    await handleOnce('k', 'body', () => Promise.reject(new Error('no')));
    expect(await showRecord({ sql, scope, key: 'k' })).toHaveProperty('error.message', 'no');
    await handleOnce('k', 'body', () => 1);
    expect(await showRecord({ sql, scope, key: 'k' })).not.toHaveProperty('error');
  });

  test('that is not there as undefined', async () => {
    expect(await showRecord({ sql, scope, key: 'k' })).toBeUndefined();
  });
});

describe('A key is found', () => {
  const at = (one: string, key: string) => record({ scope: one, key });

  test('in all scopes that have it, in their order', async () => {
    for (const one of ['search', 'mail', 'billing>kafka:a', 'billing']) await at(one, 'other');
    for (const one of ['mail', 'billing']) await at(one, 'k');
    const found = await findRecords({ sql, key: 'k' });
    expect(found).toMatchObject([
      { scope: 'billing', key: 'k', phase: 'succeeded' },
      { scope: 'mail', key: 'k', phase: 'succeeded' },
    ]);
    expect(JSON.stringify(found)).not.toContain('41111');
    expect(await findRecords({ sql, key: 'k', result: true })).toMatchObject([
      { result: '{"card":"41111"}' },
      { result: '{"card":"41111"}' },
    ]);
    expect(await findRecords({ sql, key: 'other' })).toHaveLength(4);
  });

  test('nowhere where no record has it, or there is none', async () => {
    expect(await findRecords({ sql, key: 'k' })).toEqual([]);
    await at('mail', 'other');
    expect(await findRecords({ sql, key: 'k' })).toEqual([]);
  });

  test('without a read of the table', async () => {
    await sql`
      insert into handle_once.records
        (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
      select 'scope-' || n % 10, n::text, gen_random_uuid(), '', 'succeeded', false, 1, now(), now()
      from generate_series(1, 20000) as n`;
    const { find } = inspectStatements('handle_once');
    const plan = await sql.unsafe(`explain (costs off) ${find}`, ['7', 'false']);
    const nodes = plan.map((row) => String(row['QUERY PLAN'])).join('\n');
    expect(nodes).toContain('records_pkey');
    expect(nodes).not.toMatch(/Seq Scan|Bitmap/);
    expect(await findRecords({ sql, key: '7' })).toMatchObject([{ scope: 'scope-7' }]);
  });
});

describe('To retry', () => {
  test('a failed record lets its next delivery run, with all of its attempts before it', async () => {
    const handleOnce = createHandleOnce({ sql, scope, maxAttempts: 1 });
    const fails = () => handleOnce('k', 'body', () => Promise.reject(new Error('no')));
    expect(await fails()).toMatchObject({ state: 'failed', reason: 'attempts-exhausted' });
    expect(await retryRecord({ sql, scope, key: 'k' })).toEqual({ state: 'retried' });
    expect(await showRecord({ sql, scope, key: 'k' })).toMatchObject({
      phase: 'waiting',
      failures: 0,
      deaths: 0,
    });
    expect(await handleOnce('k', 'body', () => 'ran')).toMatchObject({ result: 'ran', attempts: 2 });
  });

  test('keeps the fingerprint: another message under the key is refused', async () => {
    const handleOnce = createHandleOnce({ sql, scope, maxAttempts: 1 });
    await handleOnce('k', 'body', () => Promise.reject(new Error('no')));
    await retryRecord({ sql, scope, key: 'k' });
    await expect(handleOnce('k', 'another', () => 1)).rejects.toMatchObject({ code: 'PAYLOAD_MISMATCH' });
  });

  test.each(PHASES.filter(([phase]) => phase !== 'failed'))(
    'changes nothing that is %s',
    async (phase, given) => {
      await record(given);
      const before = await sql`select * from handle_once.records`;
      expect(await retryRecord({ sql, scope, key: 'k' })).toEqual({ state: 'unchanged', found: phase });
      expect(await sql`select * from handle_once.records`).toEqual(before);
    },
  );

  test('says that there is no such record', async () => {
    expect(await retryRecord({ sql, scope, key: 'k' })).toEqual({ state: 'unchanged', found: 'absent' });
  });

  test('twice at one moment retries once', async () => {
    await record({ state: 'failed' });
    const both = await Promise.all([1, 2].map(() => retryRecord({ sql, scope, key: 'k' })));
    expect(both.map(({ state }) => state).toSorted()).toEqual(['retried', 'unchanged']);
  });
});

describe('To forget', () => {
  test.each(PHASES)('deletes a record that is %s, and says so', async (phase, given) => {
    await record(given);
    await record({ key: 'other' });
    expect(await forgetRecord({ sql, scope, key: 'k' })).toEqual({ state: 'forgotten', was: phase });
    expect(await sql`select key from handle_once.records`).toEqual([{ key: 'other' }]);
  });

  test('lets a delivery of what had succeeded run again', async () => {
    const handleOnce = createHandleOnce({ sql, scope });
    await handleOnce('k', 'body', () => 1);
    await forgetRecord({ sql, scope, key: 'k' });
    expect(await handleOnce('k', 'body', () => 2)).toMatchObject({ replayed: false, result: 2, attempts: 1 });
  });

  test('a message that runs makes its settle a lost one', async () => {
    const handleOnce = createHandleOnce({ sql, scope });
    const outcome = await handleOnce('k', 'body', async () => {
      expect(await forgetRecord({ sql, scope, key: 'k' })).toEqual({ state: 'forgotten', was: 'running' });
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(await forgetRecord({ sql, scope, key: 'k' })).toEqual({ state: 'absent' });
  });
});

test('ages are by the time of the database', async () => {
  const [before] = await sql<{ now: Date }[]>`select now()`;
  const at = await databaseNow({ sql });
  const [after] = await sql<{ now: Date }[]>`select now()`;
  // To the millisecond.
  expect(at.getTime()).toBeGreaterThanOrEqual((before?.now.getTime() ?? Infinity) - 1);
  expect(at.getTime()).toBeLessThanOrEqual((after?.now.getTime() ?? 0) + 1);
});

test('a wrong scope and a wrong key are refused with what is wrong with each', async () => {
  const refused = showRecord({ sql, scope: '', key: 'a\0' });
  await expect(refused).rejects.toMatchObject({
    issues: [
      { field: 'scope', message: 'must not be empty' },
      { field: 'key', message: 'must not contain a NUL character' },
    ],
  });
});

const one = { scope, key: 'k' };
test.each<[string, (options: never) => Promise<unknown>, object, string]>([
  ['showRecord', showRecord, { ...one, result: 1 }, 'result'],
  ['showRecord', showRecord, { ...one, key: '' }, 'key'],
  ['findRecords', findRecords, one, 'scope'],
  ['findRecords', findRecords, {}, 'key'],
  ['retryRecord', retryRecord, { ...one, scope: '' }, 'scope'],
  ['forgetRecord', forgetRecord, { ...one, sql: {} }, 'sql'],
  ['listRecords', listRecords, { state: 'done' }, 'state'],
  ['listRecords', listRecords, { phase: 'done' }, 'phase'],
  ['listRecords', listRecords, { state: 'failed', phase: 'running' }, 'phase'],
  ['countRecords', countRecords, { state: 'succeeded', phase: 'failed' }, 'phase'],
  ['listRecords', listRecords, { order: 'any' }, 'order'],
  ['listRecords', listRecords, { error: '' }, 'error'],
  ['listRecords', listRecords, { since: new Date(1_000), until: new Date(1_000) }, 'until'],
  ['listRecords', listRecords, { after: '["now","a","b"]' }, 'after'],
  ['listRecords', listRecords, { after: 'x' }, 'after'],
  ['listRecords', listRecords, { after: '["1","a"]' }, 'after'],
  ['countRecords', countRecords, { limit: 1 }, 'limit'],
  ['retryFailed', retryFailed, { state: 'failed' }, 'state'],
  ['retryFailed', retryFailed, { confirm: 0 }, 'confirm'],
])('%s refuses wrong options by name', async (_, call, wrong, field) => {
  const options = { sql, ...wrong } as never;
  const refused: unknown = await call(options).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InvalidOptionsError);
  expect((refused as InvalidOptionsError).issues.map((issue) => issue.field)).toContain(field);
});
