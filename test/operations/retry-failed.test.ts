import { createHandleOnce } from 'handle-once';
import { listRecords, retryFailed, retryRecord, showRecord } from 'handle-once/operations';
import { beforeEach, expect, test } from 'vitest';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useDatabase } from '../support/database.ts';
import { recordsIn } from './support/given-record.ts';

const { sql } = useDatabase();
const record = recordsIn(sql);

const scope = 'billing';
const MINUTE = 60_000;
const refused = JSON.stringify({ name: 'Error', message: 'no', code: 'ECONNREFUSED' });

beforeEach(async () => {
  await sql`delete from handle_once.records`;
  for (const key of ['a', 'b', 'c']) await record({ key, state: 'failed', error: refused, ageMs: MINUTE });
});

async function waiting(): Promise<string> {
  const { records } = await listRecords({ sql, phase: 'waiting', since: new Date(0) });
  return records
    .map(({ key }) => key)
    .toSorted()
    .join('');
}

const everything = () => sql`select * from handle_once.records order by scope, key`;

test('without a count failed records are counted, by their errors, and not changed', async () => {
  await record({ key: 'd', state: 'failed', error: JSON.stringify({ name: 'TypeError', message: '' }) });
  const before = await everything();
  expect(await retryFailed({ sql })).toMatchObject({
    ...{ state: 'unconfirmed', matching: 4 },
    counts: [
      { scope, error: 'Error', code: 'ECONNREFUSED', records: 3 },
      { scope, error: 'TypeError', records: 1 },
    ],
  });
  expect(await retryFailed({ sql, confirm: 3 })).toMatchObject({ state: 'unconfirmed', matching: 4 });
  expect(await retryFailed({ sql, confirm: 5 })).toMatchObject({ state: 'unconfirmed', matching: 4 });
  expect(await everything()).toEqual(before);
});

test('those that were counted are retried, and no others', async () => {
  await record({ key: 'typed', state: 'failed', error: JSON.stringify({ name: 'TypeError', message: '' }) });
  await record({ key: 'mail', scope: 'mail', state: 'failed', error: refused });
  await record({ key: 'old', state: 'failed', error: refused, ageMs: 25 * 60 * MINUTE });
  await record({ key: 'new', state: 'failed', error: refused });
  await record({ key: 'expired', state: 'failed', error: refused, liveForMs: -1, ageMs: MINUTE });
  await record({ key: 'pending', state: 'pending', error: refused, ageMs: MINUTE });
  await record({ key: 'done', error: refused, ageMs: MINUTE });
  const retried: string[] = [];
  const report = await retryFailed({
    ...{ sql, scope, error: 'ECONNREFUSED', until: new Date(Date.now() - MINUTE / 2), confirm: 3 },
    onRetried: ({ key }) => retried.push(key),
  });
  expect(report).toEqual({ state: 'finished', matching: 3, retried: 3 });
  expect(retried).toEqual(['a', 'b', 'c']);
  expect(await waiting()).toBe('abc');
});

test('one that is retried runs with its next delivery', async () => {
  await sql`delete from handle_once.records`;
  const handleOnce = createHandleOnce({ sql, scope, maxAttempts: 1 });
  await handleOnce('k', 'body', () => Promise.reject(new Error('no')));
  await retryFailed({ sql, confirm: 1 });
  expect(await handleOnce('k', 'body', () => 'ran')).toMatchObject({ result: 'ran', attempts: 2 });
});

test('ended at any point, the next call goes on with those that are left', async () => {
  const stop = new AbortController();
  const first = await retryFailed({
    ...{ sql, confirm: 3, signal: stop.signal },
    onRetried: () => {
      stop.abort();
    },
  });
  expect(first).toEqual({ state: 'stopped', matching: 3, retried: 1 });
  const before = await showRecord({ sql, scope, key: 'a' });
  expect(before).toMatchObject({ phase: 'waiting' });
  const broken = retryFailed({
    ...{ sql, confirm: 2 },
    onRetried: () => Promise.reject(new Error('killed')),
  });
  await expect(broken).rejects.toThrow('killed');
  expect(await retryFailed({ sql })).toMatchObject({ matching: 1 });
  expect(await retryFailed({ sql, confirm: 1 })).toMatchObject({ state: 'finished', retried: 1 });
  expect(await showRecord({ sql, scope, key: 'a' })).toEqual(before);
  expect(await waiting()).toBe('abc');
});

/** A client that does something before each statement of a kind. */
function before(
  kind: string,
  act: (parameters: readonly (string | null)[]) => Promise<unknown>,
): DatabaseClient {
  const client = toDatabaseClient(sql) as DatabaseClient;
  return {
    ...client,
    async query(statement, parameters) {
      if (statement.includes(kind)) await act(parameters);
      return await client.query(statement, parameters);
    },
  };
}

test('never more are retried than were confirmed, though others have failed since', async () => {
  const client = before('created_us', () => record({ key: 'later', state: 'failed', error: refused }));
  expect(await retryFailed({ sql: client, confirm: 3 })).toMatchObject({ state: 'finished', retried: 3 });
  expect(await waiting()).toBe('abc');
});

test('what is first claimed after the count is not retried, in place of one that another has retried', async () => {
  const client = before('created_us', async () => {
    await retryRecord({ sql, scope, key: 'b' });
    await record({ key: 'later', state: 'failed', error: refused });
  });
  const report = await retryFailed({ sql: client, confirm: 3 });
  expect(report).toEqual({ state: 'finished', matching: 3, retried: 2 });
  expect(await waiting()).toBe('abc');
});

test('one that another has retried or forgotten meanwhile is left as it is', async () => {
  const client = before('update', async ([, key]) => {
    if (key === 'a') await retryRecord({ sql, scope, key: 'a' });
    if (key === 'b') await sql`delete from handle_once.records where key = 'b'`;
  });
  expect(await retryFailed({ sql: client, confirm: 3 })).toEqual({
    ...{ state: 'finished', matching: 3, retried: 1 },
  });
  expect(await waiting()).toBe('ac');
});

test('one that fails again while the others are retried is not retried a second time', async () => {
  const retried: string[] = [];
  const client = before('update', async ([, key]) => {
    if (key === 'b')
      await sql`update handle_once.records set state = 'failed', live_until = now() + interval '1 h'
      where key = 'a'`;
  });
  const onRetried = ({ key }: { key: string }) => retried.push(key);
  await retryFailed({ sql: client, confirm: 3, onRetried });
  expect(retried).toEqual(['a', 'b', 'c']);
  expect(await waiting()).toBe('bc');
});
