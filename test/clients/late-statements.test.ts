import { drizzle } from 'drizzle-orm/node-postgres';
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js';
import knex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { fromDrizzle, fromKnex, fromKysely, fromPg, fromTypeOrm } from '../../adapters/clients/index.ts';
import type { DatabaseClient } from '../../src/index.ts';
import { endOf } from '../../src/postgres/ended.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useEmptyDatabase } from '../support/database.ts';

/** The client of a library over one connection. */
interface Opened {
  readonly client: DatabaseClient;
  close(): Promise<unknown>;
}

const LIBRARIES: Record<string, (url: string) => unknown> = {
  postgres(url) {
    const sql = postgres(url, { max: 1 });
    return { client: toDatabaseClient(sql), close: () => sql.end() };
  },
  pg(url) {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    return { client: fromPg(pool), close: () => pool.end() };
  },
  'Drizzle on node-postgres'(url) {
    const db = drizzle(new pg.Pool({ connectionString: url, max: 1 }));
    return { client: fromDrizzle(db), close: () => db.$client.end() };
  },
  'Drizzle on postgres-js'(url) {
    const sql = postgres(url, { max: 1 });
    return { client: fromDrizzle(drizzleOnPostgresJs(sql)), close: () => sql.end() };
  },
  Kysely(url) {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
    return { client: fromKysely(db), close: () => db.destroy() };
  },
  Knex(url) {
    const db = knex({ client: 'pg', connection: url, pool: { min: 1, max: 1 } });
    return { client: fromKnex(db), close: () => db.destroy() };
  },
  async TypeORM(url) {
    const dataSource = await new DataSource({ type: 'postgres', url, extra: { max: 1 } }).initialize();
    return { client: fromTypeOrm(dataSource), close: () => dataSource.destroy() };
  },
};

describe.for(Object.entries(LIBRARIES))('%s', ([name, open]) => {
  const database = useEmptyDatabase();

  test('refuses what a handler sends while its record is settled: it could undo that', async () => {
    const { sql } = database;
    await sql`create table lines (id text)`;
    const library = (await open(database.url)) as Opened;
    const { client } = library;
    await client.begin(async (transaction) => {
      const ofHandler = client.in(transaction);
      await ofHandler.execute("insert into lines values ('mine')");
      await ofHandler.execute('savepoint inner_one');
      const settled = lastIn(client, transaction).query("insert into lines values ('settled')", []);
      const late = endOf(() => ofHandler.execute('rollback to savepoint inner_one'));
      // TypeORM writes more before the end: the settle is sent behind that, with the COMMIT.
      if (name === 'TypeORM') return await settled;
      expect(await late).toHaveProperty('error');
      return await settled;
    });
    await client.begin((transaction) => client.in(transaction).execute("insert into lines values ('next')"));
    await library.close();
    expect(await sql`select id from lines`).toEqual([{ id: 'mine' }, { id: 'settled' }, { id: 'next' }]);
  });

  test.each(['commit', 'rollback'])('sends no %s of a handler to the transaction of another', async (end) => {
    const { sql } = database;
    await sql`create table if not exists others (id text)`;
    await sql`truncate others`;
    const library = (await open(database.url)) as Opened;
    const { client } = library;
    let late: ReturnType<DatabaseClient['in']> | undefined;
    const first = client.begin((transaction) => {
      late = client.in(transaction);
      return Promise.reject(new Error('the handler throws'));
    });
    await expect(first).rejects.toThrow('the handler throws');
    const second = client.begin(async (transaction) => {
      const queries = client.in(transaction);
      await queries.execute("insert into others values ('before')");
      expect(await endOf(() => late?.execute(end) as Promise<unknown>)).toHaveProperty('error');
      throw new Error('this one too');
    });
    await expect(second).rejects.toThrow('this one too');
    await library.close();
    expect(await sql`select id from others`).toEqual([]);
  });
});

/** What runs the settle. */
function lastIn(client: object, transaction: unknown): Pick<DatabaseClient, 'query'> {
  return (client as { lastIn(transaction: unknown): Pick<DatabaseClient, 'query'> }).lastIn(transaction);
}
