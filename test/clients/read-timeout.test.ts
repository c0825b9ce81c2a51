import { setTimeout } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { fromDrizzle, fromKnex, fromKysely, fromPg, fromTypeOrm } from '../../adapters/clients/index.ts';
import type { DatabaseClient } from '../../src/index.ts';
import { endOf } from '../../src/postgres/ended.ts';
import { useEmptyDatabase } from '../support/database.ts';

/** The client of a library over one connection of `pg` with a `query_timeout`. */
interface Opened {
  readonly client: DatabaseClient;
  close(): Promise<unknown>;
}

const READ_TIMEOUT_MS = 250;
/** Than the timeout. */
const LONGER = 'select pg_sleep(0.6)';

function poolOf(connectionString: string): pg.Pool {
  return new pg.Pool({ connectionString, max: 1, query_timeout: READ_TIMEOUT_MS });
}

const LIBRARIES = {
  pg(url: string) {
    const pool = poolOf(url);
    return { client: fromPg(pool), close: () => pool.end() };
  },
  'Drizzle on node-postgres'(url: string) {
    const db = drizzle(poolOf(url));
    return { client: fromDrizzle(db), close: () => db.$client.end() };
  },
  Kysely(url: string) {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: poolOf(url) }) });
    return { client: fromKysely(db), close: () => db.destroy() };
  },
  Knex(url: string) {
    const connection = { connectionString: url, query_timeout: READ_TIMEOUT_MS };
    const db = knex({ client: 'pg', connection, pool: { min: 1, max: 1 } });
    return { client: fromKnex(db), close: () => db.destroy() };
  },
  async TypeORM(url: string) {
    const extra = { max: 1, query_timeout: READ_TIMEOUT_MS };
    const dataSource = await new DataSource({ type: 'postgres', url, extra }).initialize();
    return { client: fromTypeOrm(dataSource), close: () => dataSource.destroy() };
  },
};

describe.for(Object.entries<(url: string) => unknown>(LIBRARIES))('%s', ([, open]) => {
  const database = useEmptyDatabase();

  test('a transaction whose statement has run into the query_timeout writes nothing', async () => {
    const { sql } = database;
    await sql`create table stock (n int)`;
    await sql`create table lines (id text)`;
    await sql`insert into stock values (0)`;
    const library = (await open(database.url)) as Opened;
    const { client } = library;
    const lock = await sql.reserve();
    await lock`begin`;
    await lock`update stock set n = n`;

    const first = endOf(() =>
      client.begin(async (transaction) => {
        const queries = client.in(transaction);
        await queries.execute("insert into lines values ('first')");
        await queries.execute('update stock set n = n + 1');
      }),
    );
    // For the ROLLBACK to run into its timeout too, behind the statement that waits for the lock.
    await Promise.race([first, setTimeout(4 * READ_TIMEOUT_MS)]);
    await lock`commit`;
    lock.release();
    expect(await first).toEqual({ error: expect.anything() as unknown });
    await client.begin((transaction) =>
      client.in(transaction).execute("insert into lines values ('second')"),
    );
    await library.close();

    expect(await sql`select id from lines`).toEqual([{ id: 'second' }]);
  });

  test('a statement that its handler did not await does not keep the ROLLBACK from being sent', async () => {
    const { sql } = database;
    await sql`create table notes (id text)`;
    const library = (await open(database.url)) as Opened;
    const { client } = library;
    const first = endOf(() =>
      client.begin(async (transaction) => {
        const queries = client.in(transaction);
        await queries.execute("insert into notes values ('first')");
        const chain = queries.execute('select pg_sleep(0.1)').then(() => queries.execute(LONGER));
        chain.catch(() => undefined);
        throw new Error('the handler throws');
      }),
    );
    expect(await first).toEqual({ error: expect.anything() as unknown });
    await client.begin((transaction) =>
      client.in(transaction).execute("insert into notes values ('second')"),
    );
    await library.close();
    expect(await sql`select id from notes`).toEqual([{ id: 'second' }]);
  });
});
