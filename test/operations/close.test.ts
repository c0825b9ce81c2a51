import { createHandleOnce, type DatabaseClient, TerminalError } from 'handle-once';
import { explainRecord, readStats } from 'handle-once/operations';
import { createMemoryStore } from 'handle-once/testing';
import postgres from 'postgres';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useDatabase } from '../support/database.ts';
import { freezableDatabase } from '../support/freezable-database.ts';

const { sql, url } = useDatabase();

beforeEach(async () => {
  await sql`truncate handle_once.stats, handle_once.failures`;
});

async function countsIn(scope: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { event, count } of await readStats({ sql, scope })) {
    counts[event] = (counts[event] ?? 0) + count;
  }
  return counts;
}

test('close writes what was counted, in every scope of the client', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'billing', stats: true });
  await handleOnce('1', 'body', () => 1);
  await handleOnce.inScope('mail')('1', 'body', () => 1);
  await handleOnce.close();
  expect(await countsIn('billing')).toEqual({ claimed: 1, succeeded: 1 });
  expect(await countsIn('mail')).toEqual({ claimed: 1, succeeded: 1 });
});

test('a second close writes nothing twice, and a call in between is counted by it', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'again', stats: true });
  await handleOnce('1', 'body', () => 1);
  await Promise.all([handleOnce.close(), handleOnce.close()]);
  await handleOnce.close();
  expect(await countsIn('again')).toEqual({ claimed: 1, succeeded: 1 });
  expect(await handleOnce('1', 'body', () => 2)).toMatchObject({ replayed: true, result: 1 });
  await handleOnce.close();
  expect(await countsIn('again')).toEqual({ claimed: 1, succeeded: 1, replayed: 1 });
});

test('close waits for the lines that explain how attempts ended', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'lines', onEvent: () => undefined });
  await handleOnce('1', 'body', () => Promise.reject(new TerminalError('no')));
  await handleOnce.close();
  expect(await explainRecord({ sql, scope: 'lines', key: '1' })).toMatchObject({
    attempts: [{ ending: 'failed' }],
  });
});

const client = toDatabaseClient(sql) as DatabaseClient;

test('close writes what the database has refused before', async () => {
  let isRefusing = true;
  const begin: DatabaseClient['begin'] = (...given) =>
    isRefusing
      ? Promise.reject(Object.assign(new Error('no room'), { code: '53300' }))
      : client.begin(...given);
  const handleOnce = createHandleOnce({ sql: { ...client, begin }, scope: 'refused', stats: true });
  await handleOnce('1', 'body', () => 1);
  await handleOnce.close();
  expect(await countsIn('refused')).toEqual({});
  isRefusing = false;
  await handleOnce.close();
  expect(await countsIn('refused')).toEqual({ claimed: 1, succeeded: 1 });
});

test('a line that the database refuses costs no other its place', async () => {
  const refusing: DatabaseClient = {
    ...client,
    in(transaction) {
      const queries = client.in(transaction);
      const query: typeof queries.query = (statement, parameters) =>
        parameters.some((text) => text?.includes('refused-key'))
          ? Promise.reject(Object.assign(new Error('no such text'), { code: '22021' }))
          : queries.query(statement, parameters);
      return { ...queries, query };
    },
  };
  const handleOnce = createHandleOnce({ sql: refusing, scope: 'mixed', onEvent: () => undefined });
  const fail = () => Promise.reject(new TerminalError('no'));
  await Promise.all(['1', 'refused-key'].map((key) => handleOnce(key, 'body', fail)));
  await handleOnce.close();
  expect(handleOnce.counts()).toMatchObject({ 'failures-dropped': 1 });
  expect(await explainRecord({ sql, scope: 'mixed', key: '1' })).toMatchObject({
    attempts: [{ ending: 'failed' }],
  });
});

test('close gives up a database that gives no answer, and throws nothing', async () => {
  const { through, freeze } = await freezableDatabase(url);
  const silent = postgres(through, { max: 1 });
  onTestFinished(() => silent.end({ timeout: 0 }));
  const handleOnce = createHandleOnce({ sql: silent, scope: 'silent', stats: true });
  await handleOnce('1', 'body', () => 1);
  freeze();
  await handleOnce.close();
  await handleOnce.close();
});

test('a store of your own has nothing to write', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'own' });
  await handleOnce('1', 'body', () => 1);
  await handleOnce.close();
});
