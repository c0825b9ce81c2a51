import pg from 'pg';
import postgres from 'postgres';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fromPg } from 'handle-once/clients';
import { useDatabase } from '../support/database.ts';
import { useTransactionPooler } from '../support/transaction-pooler.ts';
import { findingOf } from './support/findings.ts';

const { url, sql } = useDatabase();

test('finds no pooler where there is none', async () => {
  expect(await findingOf('pooler', { sql })).toEqual({
    check: 'pooler',
    level: 'ok',
    found: 'no sign of a pooler that shares server sessions',
  });
});

describe('Behind a pooler that does not know prepared statements', () => {
  const pooledUrl = useTransactionPooler(url);

  beforeAll(async () => {
    // Its session joins those that the others are given.
    const another = postgres(pooledUrl(), { max: 1, prepare: false });
    await another`select 1`;
    await another.end({ timeout: 5 });
  });

  test('finds a client of postgres that prepares statements', async () => {
    const client = postgres(pooledUrl(), { max: 4, fetch_types: false });
    onTestFinished(() => client.end({ timeout: 5 }));
    expect(await findingOf('pooler', { sql: client })).toMatchObject({
      level: 'problem',
      fix: expect.stringContaining('postgres(url, { prepare: false })') as string,
    });
  });

  test('finds a client of pg that prepares statements', async () => {
    const pool = new pg.Pool({ connectionString: pooledUrl(), max: 4 });
    onTestFinished(() => pool.end());
    expect(await findingOf('pooler', { sql: fromPg(pool) })).toMatchObject({ level: 'problem' });
  });

  test('is content with a client that prepares nothing', async () => {
    const client = postgres(pooledUrl(), { max: 1, prepare: false });
    onTestFinished(() => client.end({ timeout: 5 }));
    expect(await findingOf('pooler', { sql: client })).toMatchObject({
      level: 'ok',
      found: expect.stringContaining('a pooler shares the server sessions') as string,
    });
  });
});
