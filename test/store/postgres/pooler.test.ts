import { randomUUID } from 'node:crypto';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fromPg } from '../../../adapters/clients/index.ts';
import { createHandleOnce, migrate, type SqlClient } from '../../../src/index.ts';
import { useDatabase } from '../../support/database.ts';
import { useTransactionPooler } from '../../support/transaction-pooler.ts';
import { storeSmokeTest } from '../contract.ts';
import { controlledPostgresStore } from './controlled-store.ts';
import { ALL_MIGRATIONS } from '../../migrations/all.ts';

const { url, sql } = useDatabase();
const pooledUrl = useTransactionPooler(url);

type Open = (url: string) => { readonly client: SqlClient; readonly close: () => Promise<unknown> };

function openPostgres(pooled: string): ReturnType<Open> {
  const client = postgres(pooled, { max: 4, fetch_types: false });
  return { client, close: () => client.end({ timeout: 5 }) };
}

function openPg(connectionString: string): ReturnType<Open> {
  const pool = new pg.Pool({ connectionString, max: 4 });
  return { client: fromPg(pool), close: () => pool.end() };
}

test.each<[name: string, open: Open, error: object]>([
  // Its connections can stop sending, or mix up replies, once a session lacks a statement of theirs.
  ['postgres', openPostgres, { code: expect.stringMatching(/^(?:STORE|DAMAGED_RECORD)$/) as string }],
  ['pg', openPg, { retriable: true, message: expect.stringContaining('prepare: false') as string }],
])(
  'Behind a pooler in transaction mode a handler runs again only where no settle got a reply, though %s prepares statements',
  async (_, open, expected) => {
    const { client, close } = open(pooledUrl());
    onTestFinished(async () => {
      await close();
    });
    const handleOnce = createHandleOnce({
      sql: client,
      scope: randomUUID(),
      leaseMs: 5_000,
      batching: false,
      onEvent: ({ type, key }) => {
        if (type === 'unrecorded' || type === 'lease-lost') unsettled.add(key);
      },
    });
    const unsettled = new Set<string>();
    const runs: string[] = [];
    const errors: unknown[] = [];
    const keys = Array.from({ length: 60 }, (__, index) => `key-${index}`);
    const deliver = async (key: string): Promise<void> => {
      const run = handleOnce(key, {}, () => runs.push(key), { waitMs: 5_000 });
      const state = await run.then(
        (outcome) => outcome.state,
        (error: unknown) => errors.push(error),
      );
      if (state !== 'succeeded') await deliver(key);
    };
    const lane = async (): Promise<void> => {
      for (let key = unsent.shift(); key !== undefined; key = unsent.shift()) await deliver(key);
    };
    const unsent = [...keys];
    await Promise.all([lane(), lane(), lane(), lane()]);
    expect([...new Set(runs)].toSorted()).toEqual(keys.toSorted());
    const again = runs.filter((key, index) => runs.indexOf(key) !== index);
    expect(again.filter((key) => !unsettled.has(key))).toEqual([]);
    for (const error of errors) expect(error).toMatchObject(expected);
  },
);

describe('Behind a pooler in transaction mode, with prepare: false,', () => {
  let pooled: postgres.Sql;
  beforeAll(() => {
    pooled = postgres(pooledUrl(), { prepare: false, max: 4, onnotice: () => undefined });
  });
  afterAll(() => pooled.end({ timeout: 5 }));

  test('the pooler gives a client now this session, now that', async () => {
    const clients = [1, 2].map(() => postgres(pooledUrl(), { prepare: false, max: 1 }));
    const pidOf = async (client?: postgres.Sql) =>
      (await client?.unsafe('select pg_backend_pid() as pid'))?.[0];
    const pids = new Set<string>();
    for (const client of [...clients, ...clients]) pids.add(JSON.stringify(await pidOf(client)));
    pids.clear();
    for (let round = 0; round < 4; round += 1) pids.add(JSON.stringify(await pidOf(clients[0])));
    await Promise.all(clients.map((client) => client.end()));
    expect(pids.size).toBeGreaterThan(1);
  });

  storeSmokeTest('the Postgres store', () => controlledPostgresStore(sql, pooled));

  test('many messages at one moment each run once', async () => {
    const handleOnce = createHandleOnce({ sql: pooled, scope: randomUUID() });
    const keys = Array.from({ length: 200 }, (_, index) => `key-${index % 100}`);
    let runs = 0;
    await Promise.all(
      keys.map((key) =>
        handleOnce(key, {}, () => {
          runs += 1;
        }),
      ),
    );
    expect(runs).toBe(100);
  });

  test('many that migrate at one moment run each migration once', async () => {
    const schemas = await Promise.all(Array.from({ length: 8 }, () => migrate(pooled, { schema: 'pooled' })));
    expect(schemas.flatMap(({ applied }) => applied)).toEqual(ALL_MIGRATIONS);
  });
});
