import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { createHandleOnce } from '../../src/index.ts';
import { endOf, type Ended } from '../../src/postgres/ended.ts';
import { fromPostgres } from '../../src/postgres/from-postgres.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';
import { clientContract } from './contract.ts';
import type { Library } from './library.ts';

function open(url: string): Library<postgres.TransactionSql> {
  const sql = postgres(url, { connect_timeout: 1, fetch_types: false, onnotice: () => undefined });
  return {
    client: fromPostgres(sql),
    insert: (transaction, id) => transaction`insert into handle_once_effects (id) values (${id})`,
    close: () => sql.end({ timeout: 1 }),
  };
}

// The store over this library keeps the whole contract in test/store.
clientContract('postgres', open, { tellBreaks: true });

const { url } = useDatabase();

test('a connection that breaks while the handler works with something else ends the attempt, not the process', async () => {
  const sql = postgres(url, { fetch_types: false });
  // Without the timeout it never ends when the connection broke during a statement, as of postgres 3.4.9.
  onTestFinished(() => sql.end({ timeout: 5 }));
  const handleOnce = createHandleOnce({ sql, scope: 'broken', backoff: () => 0 });
  const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
    const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await sql`select pg_terminate_backend(${pid})`;
    await expect.poll(() => sql`select from pg_stat_activity where pid = ${pid}`).toHaveLength(0);
  });
  expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
  const again = await handleOnce.inTransaction('key', 'body', (_, __, tx) => tx`select 1 as one`);
  expect(again).toMatchObject({ state: 'succeeded', attempts: 2 });
});

test('sends nothing on a connection that has closed: the client ends without a timeout', async () => {
  const closed = gate();
  const sql = postgres(url, {
    fetch_types: false,
    onclose: () => {
      closed.open();
    },
  });
  const handleOnce = createHandleOnce({ sql, scope: 'closed', backoff: () => 0 });
  const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
    const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await sql`select pg_terminate_backend(${pid})`;
    await closed.opened;
  });
  expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
  await sql.end();
});

const never = (rows: unknown) => new Promise(() => rows);

/** Reads a cursor for longer than its handler runs. */
const READERS: [how: string, read: (tx: postgres.TransactionSql) => Promise<unknown>][] = [
  [
    'an iteration',
    async (tx) => {
      for await (const rows of tx`select generate_series(1, 100)`.cursor(10)) await sleep(10 * rows.length);
    },
  ],
  // It waits for a promise, though its types do not say so.
  ['a function', (tx) => tx`select generate_series(1, 100)`.cursor(10, () => sleep(100) as never)],
  [
    'an iteration that never goes on',
    async (tx) => {
      for await (const rows of tx`select generate_series(1, 100)`.cursor(10)) await never(rows);
    },
  ],
];

test.each(READERS)(
  'a cursor that is read beside a handler that throws ends with it: %s',
  async (how, read) => {
    const sql = postgres(url, { max: 1, fetch_types: false });
    onTestFinished(() => sql.end({ timeout: 5 }));
    const client = fromPostgres<postgres.TransactionSql>(sql);
    let reading: Promise<Ended<unknown>> | undefined;
    const begun = client.begin(async (tx) => {
      reading = endOf(() => read(tx));
      await sleep(30);
      throw new Error('of the handler');
    });
    await expect(begun).rejects.toThrow('of the handler');
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    if (!how.includes('never')) expect(await reading).toMatchObject({ error: { code: 'STORE' } });
  },
);

test.each(READERS)(
  'a cursor that is read beside a handler that returns ends with it: %s',
  async (how, read) => {
    const sql = postgres(url, { max: 1, fetch_types: false });
    onTestFinished(() => sql.end({ timeout: 5 }));
    const handleOnce = createHandleOnce({ sql, scope: `read by ${how}`, backoff: () => 0 });
    let reading: Promise<Ended<unknown>> | undefined;
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      reading = endOf(() => read(tx));
      await sleep(30);
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    if (!how.includes('never')) expect(await reading).toMatchObject({ error: { code: 'STORE' } });
  },
);

test('an error that the function of a cursor throws is the error of its query alone', async () => {
  const sql = postgres(url, { max: 1, fetch_types: false });
  onTestFinished(() => sql.end({ timeout: 5 }));
  const begun = fromPostgres<postgres.TransactionSql>(sql).begin(async (tx) => {
    const read = tx`select generate_series(1, 100)`.cursor(10, () => {
      throw new Error('of the function');
    });
    await expect(read).rejects.toThrow('of the function');
  });
  await expect(begun).rejects.toThrow('of the function');
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
});

test('tells the size of its pool', async () => {
  const sql = postgres(url, { max: 7 });
  expect(fromPostgres(sql).maxConnections).toBe(7);
  expect(createHandleOnce({ sql, scope: 'size' }).inScope('other').settings.maxConnections).toBe(7);
  await sql.end({ timeout: 5 });
});
