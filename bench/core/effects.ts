import type postgres from 'postgres';
import { type Done, OK } from './done.ts';

/** A table that a handler writes to, of one contender alone, so that what it did can be counted. */
export interface Effects {
  readonly name: 'one INSERT';
  /** Through a client, or in its transaction. */
  readonly insert: (sql: postgres.ISql) => Promise<Done>;
  /** So many rows by one statement. */
  readonly insertMany: (sql: postgres.ISql, rows: number) => Promise<void>;
  readonly done: () => Promise<number>;
}

export async function createEffects(sql: postgres.Sql, contender: string): Promise<Effects> {
  const table = sql(`effects of ${contender}`);
  await sql`create table ${table} (id bigint generated always as identity primary key, cents integer not null)`;
  return {
    name: 'one INSERT',
    async insert(queries) {
      await queries`insert into ${table} (cents) values (4200)`;
      return OK;
    },
    async insertMany(queries, rows) {
      await queries`insert into ${table} (cents) select 4200 from generate_series(1, ${rows})`;
    },
    async done() {
      const [{ count }] = await sql<[{ count: number }]>`select count(*)::int as count from ${table}`;
      return count;
    },
  };
}
