import { createHandleOnce, type DatabaseClient, InvalidOptionsError, TerminalError } from 'handle-once';
import { maintain, readStats } from 'handle-once/operations';
import { createMemoryStore } from 'handle-once/testing';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, type MockInstance, onTestFinished, test, vi } from 'vitest';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useDatabase } from '../support/database.ts';
import { expectSoon, until } from '../support/until.ts';

const { sql, url } = useDatabase();

const TEN_YEARS_MS = 3_650 * 86_400_000;

let setTimer: MockInstance<typeof setTimeout>;
let rung = 0;

beforeEach(async () => {
  await sql`truncate handle_once.stats`;
  setTimer = vi.spyOn(globalThis, 'setTimeout');
  rung = 0;
});

afterEach(() => {
  setTimer.mockRestore();
});

/** Rings the timers of a minute, each once: what was refused goes along with the next write. */
function aMinuteLater(): void {
  const { calls } = setTimer.mock;
  for (; rung < calls.length; rung += 1) {
    const [ring, delayMs] = calls[rung] ?? [];
    if (delayMs === 60_000) ring?.();
  }
}

/** Waits until the counts that are read are right, a minute later or more. */
async function expectCounts(check: () => Promise<void>): Promise<void> {
  await expectSoon(async () => {
    aMinuteLater();
    await check();
  });
}

test('the last hour is read, or as far back as is asked for, up to ten years', async () => {
  await sql`
    insert into handle_once.stats (scope, minute, event, count)
    values ('billing', date_trunc('minute', now()) - interval '2 hours', 'claimed', 7)`;
  expect(await readStats({ sql })).toEqual([]);
  const counted = [{ scope: 'billing', event: 'claimed', count: 7 }];
  for (const sinceMs of [3 * 3_600_000, TEN_YEARS_MS])
    expect(await readStats({ sql, sinceMs })).toMatchObject(counted);
  await expect(readStats({ sql, sinceMs: TEN_YEARS_MS + 1 })).rejects.toThrow(InvalidOptionsError);
});

test('events are counted by scope and minute, and two writes add up', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'billing', stats: true });
  const other = handleOnce.inScope('mail');
  for (let turn = 0; turn < 3; turn += 1) await handleOnce('1', 'body', () => 1);
  await other('1', 'body', () => 1);
  await expectCounts(async () => {
    const rows = await readStats({ sql });
    expect(rows.map(({ scope, event, count }) => [scope, event, count])).toEqual([
      ['billing', 'claimed', 1],
      ['billing', 'replayed', 2],
      ['billing', 'succeeded', 1],
      ['mail', 'claimed', 1],
      ['mail', 'succeeded', 1],
    ]);
  });
  await handleOnce('1', 'body', () => 1);
  await expectCounts(async () => {
    const rows = await readStats({ sql, scope: 'billing' });
    const replayed = rows.filter(({ event }) => event === 'replayed');
    expect(replayed.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });
});

test('a count whose write had no answer is not written twice', async () => {
  const client = toDatabaseClient(sql) as DatabaseClient;
  let isLosing = true;
  const losing: DatabaseClient = {
    ...client,
    async begin(work, onBroken) {
      const done = await client.begin(work, onBroken);
      if (isLosing) throw Object.assign(new Error('lost'), { code: 'CONNECTION_CLOSED' });
      return done;
    },
  };
  const handleOnce = createHandleOnce({ sql: losing, scope: 'lost', stats: true });
  const written = () => readStats({ sql, scope: 'lost' });
  await handleOnce('1', 'body', () => 1);
  await expectCounts(async () => {
    expect(await written()).toHaveLength(2);
  });
  isLosing = false;
  await handleOnce('1', 'body', () => 1);
  await expectCounts(async () => {
    expect((await written()).map(({ event }) => event)).toContain('replayed');
  });
  expect((await written()).map(({ event, count }) => [event, count])).toEqual([
    ['claimed', 1],
    ['replayed', 1],
    ['succeeded', 1],
  ]);
});

test('lines about failures that were dropped are counted too, each in the scope of its message', async () => {
  const client = postgres(url, { onnotice: () => undefined });
  onTestFinished(() => client.end({ timeout: 5 }));
  const handleOnce = createHandleOnce({ sql: client, scope: 'one', stats: true, onEvent: () => undefined });
  const other = handleOnce.inScope('two');
  const fail = () => Promise.reject(new TerminalError('no'));
  await sql.begin(async (holder) => {
    await holder`lock table handle_once.failures in access exclusive mode`;
    await Promise.all([handleOnce('1', 'body', fail), other('1', 'body', fail)]);
    await until(() => handleOnce.counts()['failures-dropped'] === 2);
  });
  await expectCounts(async () => {
    const rows = await readStats({ sql });
    expect(rows.filter(({ event }) => event === 'failures-dropped')).toMatchObject([
      { scope: 'one', count: 1 },
      { scope: 'two', count: 1 },
    ]);
  });
});

test('nothing is counted unless that is asked for', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'silent' });
  await handleOnce('1', 'body', () => 1);
  aMinuteLater();
  expect(await readStats({ sql, scope: 'silent' })).toEqual([]);
});

test('old counts are deleted by maintenance', async () => {
  await sql`
    insert into handle_once.stats (scope, minute, event, count)
    values ('billing', now() - interval '31 days', 'claimed', 1), ('billing', now(), 'claimed', 2)`;
  await maintain({ sql });
  expect(await sql`select count from handle_once.stats`).toEqual([{ count: '2' }]);
});

test('a store of your own has no counts', () => {
  const create = () => createHandleOnce({ store: createMemoryStore(), scope: 'billing', stats: true });
  expect(create).toThrow(InvalidOptionsError);
});
