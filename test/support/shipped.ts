import type postgres from 'postgres';
import { beforeAll, beforeEach } from 'vitest';

/** A table `shipped` that handlers write to, empty before each test. Returns what reads its ids. */
export function useShipped(sql: postgres.Sql): () => Promise<string[]> {
  beforeAll(async () => {
    await sql`create table shipped (id text not null)`;
  });

  beforeEach(async () => {
    await sql`delete from shipped`;
  });

  return async function shipped() {
    const rows = await sql<{ id: string }[]>`select id from shipped order by id`;
    return rows.map(({ id }) => id);
  };
}
