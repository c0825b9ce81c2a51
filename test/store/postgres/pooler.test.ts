import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHandleOnce, migrate } from '../../../src/index.ts';
import { useDatabase } from '../../support/database.ts';
import { useTransactionPooler } from '../../support/transaction-pooler.ts';
import { storeContract } from '../contract.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const { url, sql } = useDatabase();
const pooledUrl = useTransactionPooler(url);

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

  storeContract('the Postgres store', () => controlledPostgresStore(sql, pooled));

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
    expect(schemas.flatMap(({ applied }) => applied)).toEqual(['0001_records.sql']);
  });
});
