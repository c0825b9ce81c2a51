import { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fromPg } from '../../adapters/clients/index.ts';
import { createHandleOnce } from '../../src/index.ts';
import { useDatabase } from '../support/database.ts';
import { useTransactionPooler } from '../support/transaction-pooler.ts';
import { storeContract, storeSmokeTest } from '../store/contract.ts';
import { controlledPostgresStore } from '../store/postgres/controlled-store.ts';
import { clientContract } from './contract.ts';
import type { Library } from './library.ts';

function open(url: string): Library<pg.PoolClient> {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  return {
    client: fromPg(pool),
    insert: (transaction, id) => transaction.query('insert into handle_once_effects (id) values ($1)', [id]),
    close: () => pool.end(),
  };
}

clientContract('pg', open, { tellBreaks: true, ofStore: storeContract });

const { url, sql } = useDatabase();

describe('Behind a pooler in transaction mode, with prepare: false,', () => {
  const pooledUrl = useTransactionPooler(url);
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: pooledUrl(), max: 4 });
  });
  afterAll(() => pool.end());
  storeSmokeTest('pg', () => controlledPostgresStore(sql, fromPg(pool, { prepare: false })));
});

test.each([
  [true, ['handle_once']],
  [false, []],
])('with prepare: %s its sessions keep the statements %j', async (prepare, kept) => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const client = fromPg(pool, { prepare });
  for (const id of ['a', 'b']) await client.query('select $1::text as cell', [id]);
  const { rows } = await pool.query<{ name: string }>('select name from pg_prepared_statements');
  await pool.end();
  expect(rows.map(({ name }) => name.replace(/_[0-9a-f]{16}$/, ''))).toEqual(kept);
});

test('parsers for text and binary results, set for other queries, do not reach ours', async () => {
  const types = { getTypeParser: () => () => 'parsed' };
  const pool = new pg.Pool({ connectionString: url, types, max: 1 });
  const rows = await fromPg(pool).query(`select 'text' as a, '5'::text as b, null as c`, []);
  await pool.end();
  expect(rows).toEqual([['text', '5', null]]);
});

test('a handler that gives its connection back keeps it until the end of its transaction', async () => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const client = fromPg(pool);
  await client.begin(async (connection) => {
    try {
      await connection.query('create table given_back (id text)');
    } finally {
      connection.release();
    }
    const next = client.query('select count(*)::text from given_back', []);
    await connection.query("insert into given_back values ('in the transaction')");
    void next.catch(() => undefined);
  });
  expect(await client.query('select id from given_back', [])).toEqual([['in the transaction']]);
  await pool.end();
});

describe('A pool of one connection', () => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  afterAll(() => pool.end());

  test('runs a handler in a transaction that ends within the lease', async () => {
    const handleOnce = createHandleOnce({ sql: fromPg(pool), scope: 'one' });
    const outcome = await handleOnce.inTransaction('key', 'body', (_, __, tx) => tx.query('select'));
    expect(outcome).toMatchObject({ state: 'succeeded' });
  });

  test('gives a claim an error when the lease has passed and a transaction still holds it', async () => {
    const handleOnce = createHandleOnce({ sql: fromPg(pool), scope: 'one', leaseMs: 100 });
    const connection = await pool.connect();
    await connection.query('begin');
    const claim = handleOnce('other', 'body', () => expect.fail('it ran'));
    await expect(claim).rejects.toMatchObject({ code: 'STORE', retriable: true });
    await connection.query('rollback');
    connection.release();
  });
});

test.each([
  ['a Client', new pg.Client()],
  ['a URL', url],
  ['nothing', undefined],
])('%s in place of a Pool is refused with words', (_, wrong) => {
  expect(() => fromPg(wrong as never)).toThrow(
    /fromPg: pool: must be a Pool of pg, .* not a URL or a Client .*createHandleOnce\({ sql }\)$/,
  );
});

test('an option that does not exist is refused', () => {
  expect(() => fromPg(new pg.Pool(), { prepared: true } as object)).toThrow(/prepared: is not an option/);
});

test('tells the size of its pool', () => {
  expect(fromPg(new pg.Pool({ max: 7 })).maxConnections).toBe(7);
  expect(fromPg(new pg.Pool()).maxConnections).toBe(10);
});

test('A connection that breaks in the moment in which the pool lends it does not end the process', async () => {
  const connection = Object.assign(new EventEmitter(), {
    query: () => Promise.reject(new Error('the connection has ended')),
    release: vi.fn(),
  });
  const pool = {
    totalCount: 1,
    query: connection.query,
    connect(lend: (error: unknown, lent: typeof connection) => void) {
      lend(undefined, connection);
      connection.emit('error', new Error('terminated'));
    },
  };
  const begun = fromPg(pool as never).begin(() => Promise.resolve());
  await expect(begun).rejects.toThrow('the connection has ended');
  expect(connection.release).toHaveBeenCalledWith(true);
  expect(connection.listenerCount('error')).toBe(0);
});
