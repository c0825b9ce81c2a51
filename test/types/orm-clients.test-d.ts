import { drizzle as drizzleOnNodePostgres } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js';
import { DataSource, type EntityManager } from 'typeorm';
import { expectTypeOf, test } from 'vitest';
import { fromDrizzle, fromPrisma, fromTypeOrm } from '../../adapters/clients/index.ts';
import { createHandleOnce, migrate } from '../../src/index.ts';

type TransactionOf<Database extends { transaction: (work: never) => unknown }> = Parameters<
  Parameters<Database['transaction']>[0]
>[0];

test('a Drizzle database fits, and gives handlers its own transaction', () => {
  const orders = pgTable('orders', { id: text().primaryKey() });
  const db = drizzleOnNodePostgres('', { schema: { orders } });
  const client = fromDrizzle(db);
  void migrate(client);
  const handleOnce = createHandleOnce({ sql: client, scope: 'a' });
  void handleOnce.inTransaction('key', 'payload', async (_payload, _attempt, tx) => {
    expectTypeOf(tx).toEqualTypeOf<TransactionOf<typeof db>>();
    await tx.insert(orders).values({ id: 'a' });
    return await tx.query.orders.findMany();
  });
  void db.transaction((tx) => {
    // @ts-expect-error a transaction is no client
    fromDrizzle(tx);
    return Promise.resolve();
  });
  expectTypeOf(db).not.toExtend<TransactionOf<typeof db>>();
});

test('a Drizzle database on another driver fits too', () => {
  const db = drizzleOnPostgresJs('');
  const client = fromDrizzle(db);
  void client.begin(async (tx) => {
    expectTypeOf(tx).toEqualTypeOf<TransactionOf<typeof db>>();
    await tx.execute('select 1');
  });
});

test('a data source of TypeORM fits, and gives handlers its entity manager', () => {
  const dataSource = new DataSource({ type: 'postgres' });
  const client = fromTypeOrm(dataSource);
  void migrate(client);
  const handleOnce = createHandleOnce({ sql: client, scope: 'a' });
  void handleOnce.inTransaction('key', 'payload', (_payload, _attempt, manager) => {
    expectTypeOf(manager).toEqualTypeOf<EntityManager>();
  });
  void dataSource.transaction((manager) => {
    // @ts-expect-error an entity manager may be in a transaction
    fromTypeOrm(manager);
    return Promise.resolve();
  });
});

test('what is not asked for is refused', () => {
  // @ts-expect-error a URL is no client
  fromDrizzle('postgres://127.0.0.1/a');
  // @ts-expect-error a URL is no client
  fromPrisma('postgres://127.0.0.1/a');
  // @ts-expect-error a URL is no client
  fromTypeOrm('postgres://127.0.0.1/a');
  // @ts-expect-error Drizzle is no Prisma
  fromPrisma(drizzleOnPostgresJs(''));
});
