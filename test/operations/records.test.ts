import { createHandleOnce, InvalidOptionsError, TerminalError } from 'handle-once';
import {
  forgetRecord,
  listRecords,
  type RecordPhase,
  reopenRecord,
  showRecord,
} from 'handle-once/operations';
import { beforeEach, describe, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';

const { sql } = useDatabase();

const scope = 'billing';

beforeEach(async () => {
  await sql`delete from handle_once.records`;
});

interface Given {
  readonly key?: string;
  readonly state?: string;
  readonly owned?: boolean;
  readonly liveForMs?: number;
  readonly ageMs?: number;
}

async function record({
  key = 'k',
  state = 'succeeded',
  owned = false,
  liveForMs = 60_000,
  ageMs = 0,
}: Given) {
  await sql`
    insert into handle_once.records
      (scope, key, token, fingerprint, state, owned, attempts, failures, deaths, live_until, created_at, failed_reason,
      result)
    values (${scope}, ${key}, gen_random_uuid(), '', ${state}, ${owned}, 3, 2, 1,
      now() + ${liveForMs} * interval '1 millisecond', now() - ${ageMs} * interval '1 millisecond',
      ${state === 'failed' ? 'terminal' : null}, ${state === 'succeeded' ? '{"card":"41111"}' : null})`;
}

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

  test('that is not there as undefined', async () => {
    expect(await showRecord({ sql, scope, key: 'k' })).toBeUndefined();
  });
});

describe('A list', () => {
  test('has the newest first, of a time, a scope and a state', async () => {
    for (const [n, key] of ['a', 'b', 'c', 'd'].entries()) await record({ key, ageMs: n * 3_600_000 });
    await record({ key: 'e', state: 'failed', ageMs: 500 });
    await record({ key: 'old', ageMs: 25 * 3_600_000 });
    const keysOf = async (options: object) =>
      (await listRecords({ sql, ...options })).map(({ key }) => key).join('');
    expect(await keysOf({})).toBe('aebcd');
    expect(await keysOf({ state: 'failed' })).toBe('e');
    expect(await keysOf({ sinceMs: 5_400_000 })).toBe('aeb');
    expect(await keysOf({ sinceMs: 100 * 3_600_000 })).toBe('aebcdold');
    expect(await keysOf({ limit: 2 })).toBe('ae');
    expect(await keysOf({ scope: 'mail' })).toBe('');
    expect(await keysOf({ scope, state: 'pending' })).toBe('');
    expect(await keysOf({ order: 'oldest', limit: 2 })).toBe('dc');
  });

  test.each(PHASES)('of the phase %s', async (phase, given) => {
    for (const [n, [, one]] of PHASES.entries()) await record({ ...one, key: `k${n}` });
    await record({ ...given, key: 'k' });
    const listed = await listRecords({ sql, phase });
    expect(listed.map(({ key }) => key)).toContain('k');
    expect(new Set(listed.map((found) => found.phase))).toEqual(new Set([phase]));
    expect(listed).toHaveLength(2);
  });
});

describe('To reopen', () => {
  test('a failed record lets its next delivery run, with all of its attempts before it', async () => {
    const handleOnce = createHandleOnce({ sql, scope, maxAttempts: 1 });
    const fails = () => handleOnce('k', 'body', () => Promise.reject(new Error('no')));
    expect(await fails()).toMatchObject({ state: 'failed', reason: 'attempts-exhausted' });
    expect(await reopenRecord({ sql, scope, key: 'k' })).toEqual({ state: 'reopened' });
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
    await reopenRecord({ sql, scope, key: 'k' });
    await expect(handleOnce('k', 'another', () => 1)).rejects.toMatchObject({ code: 'PAYLOAD_MISMATCH' });
  });

  test.each(PHASES.filter(([phase]) => phase !== 'failed'))(
    'changes nothing that is %s',
    async (phase, given) => {
      await record(given);
      const before = await sql`select * from handle_once.records`;
      expect(await reopenRecord({ sql, scope, key: 'k' })).toEqual({ state: 'unchanged', found: phase });
      expect(await sql`select * from handle_once.records`).toEqual(before);
    },
  );

  test('says that there is no such record', async () => {
    expect(await reopenRecord({ sql, scope, key: 'k' })).toEqual({ state: 'unchanged', found: 'absent' });
  });

  test('twice at one moment reopens once', async () => {
    await record({ state: 'failed' });
    const both = await Promise.all([1, 2].map(() => reopenRecord({ sql, scope, key: 'k' })));
    expect(both.map(({ state }) => state).toSorted()).toEqual(['reopened', 'unchanged']);
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

test.each([
  ['showRecord', showRecord, { result: 1 }, 'result'],
  ['showRecord', showRecord, { key: '' }, 'key'],
  ['reopenRecord', reopenRecord, { scope: '' }, 'scope'],
  ['forgetRecord', forgetRecord, { sql: {} }, 'sql'],
  ['listRecords', listRecords, { key: undefined, scope: undefined, state: 'done' }, 'state'],
  ['listRecords', listRecords, { key: undefined, scope: undefined, phase: 'done' }, 'phase'],
  ['listRecords', listRecords, { key: undefined, scope: undefined, order: 'any' }, 'order'],
])('%s refuses wrong options by name', async (subject, call, wrong, field) => {
  const options = { sql, scope, key: 'k', ...wrong };
  const given = subject === 'listRecords' ? { sql, ...wrong, key: undefined } : options;
  const refused: unknown = await (call as (given: object) => Promise<unknown>)(given).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(InvalidOptionsError);
  expect((refused as InvalidOptionsError).issues.map((issue) => issue.field)).toContain(field);
});
