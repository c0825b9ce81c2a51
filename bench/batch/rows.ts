import type postgres from 'postgres';
import type { Payload } from '../core/contender.ts';

/** A table of one contender alone, with a row for each message. */
export interface Rows {
  readonly insert: (queries: postgres.ISql, payloads: readonly Payload[]) => Promise<void>;
  readonly count: () => Promise<number>;
}

let tables = 0;

export async function createRows(sql: postgres.Sql): Promise<Rows> {
  tables += 1;
  const table = sql(`rows_${tables}`);
  await sql`create table ${table} (id text not null, cents integer not null)`;
  return {
    async insert(queries, payloads) {
      await queries`
        insert into ${table} (id, cents)
        select * from unnest(${payloads.map(({ orderId }) => orderId)}::text[], ${payloads.map(({ cents }) => cents)}::int[])`;
    },
    async count() {
      const [{ count }] = await sql<[{ count: number }]>`select count(*)::int as count from ${table}`;
      return count;
    },
  };
}
