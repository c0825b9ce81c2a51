import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import knex, { type Knex } from 'knex';
import { type ControlledTransaction, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { expectTypeOf, test } from 'vitest';
import { fromKnex, fromKysely, fromPg, fromPglite } from '../../adapters/clients/index.ts';
import { createHandleOnce, type DatabaseClient, migrate } from '../../src/index.ts';

declare const pool: pg.Pool;
declare const connection: pg.PoolClient;
declare const pgliteTransaction: PgliteTransaction;
declare const kyselyTransaction: Transaction<Tables>;
declare const controlled: ControlledTransaction<Tables>;
declare const knexTransaction: Knex.Transaction;

interface Tables {
  orders: { id: string };
}

test('a Pool of pg fits, and its transactions are its connections', () => {
  const sql = fromPg(new pg.Pool());
  expectTypeOf(sql).toEqualTypeOf<DatabaseClient<pg.PoolClient>>();
  void migrate(sql);
  const handleOnce = createHandleOnce({ sql, scope: 'a' });
  void handleOnce.inTransaction('key', 'body', (_, __, tx) => {
    expectTypeOf(tx).toEqualTypeOf<pg.PoolClient>();
  });
});

test('a Client of pg does not, nor a connection of a pool', () => {
  // @ts-expect-error a client is no pool
  fromPg(new pg.Client());
  // @ts-expect-error a connection is no pool
  fromPg(connection);
  // @ts-expect-error a pool as it is
  createHandleOnce({ sql: pool, scope: 'a' });
  // @ts-expect-error an option that does not exist
  fromPg(new pg.Pool(), { prepared: false });
});

test('a PGlite fits, and not its transaction', () => {
  const handleOnce = createHandleOnce({ sql: fromPglite(new PGlite()), scope: 'a' });
  void handleOnce.inTransaction('key', 'body', (_, __, tx) => {
    expectTypeOf(tx).toEqualTypeOf<PgliteTransaction>();
  });
  // @ts-expect-error a transaction is no client
  fromPglite(pgliteTransaction);
});

test('a Kysely fits, and not its transactions', () => {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool() }) });
  const handleOnce = createHandleOnce({ sql: fromKysely(db), scope: 'a' });
  void handleOnce.inTransaction('key', 'body', (_, __, tx) => {
    expectTypeOf(tx).toEqualTypeOf<Transaction<Tables>>();
  });
  // @ts-expect-error a transaction is no client
  fromKysely(kyselyTransaction);
  // @ts-expect-error a transaction is no client
  fromKysely(controlled);
});

test('a Knex fits, and not its transaction', () => {
  const handleOnce = createHandleOnce({ sql: fromKnex(knex({ client: 'pg' })), scope: 'a' });
  void handleOnce.inTransaction('key', 'body', (_, __, tx) => {
    expectTypeOf(tx).toEqualTypeOf<Knex.Transaction>();
  });
  // @ts-expect-error a transaction is no client
  fromKnex(knexTransaction);
});

test('a client of the user’s own fits, and gives its transactions to handlers', () => {
  interface MyTransaction {
    readonly mine: true;
  }
  const sql: DatabaseClient<MyTransaction> = {
    query: () => Promise.resolve([['cell', null]]),
    execute: () => Promise.resolve(),
    begin: (work) => work({ mine: true }),
    in: () => sql,
  };
  void migrate(sql);
  void createHandleOnce({ sql, scope: 'a' }).inTransaction('key', 'body', (_, __, tx) => {
    expectTypeOf(tx).toEqualTypeOf<MyTransaction>();
  });
  // @ts-expect-error it lacks a method
  createHandleOnce({ sql: { ...sql, in: undefined }, scope: 'a' });
});
