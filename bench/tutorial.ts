import type postgres from 'postgres';
import type { Contender } from './contender.ts';

/**
 * What a tutorial does: SELECT, INSERT, the work, UPDATE, one await each.
 *
 * It is the yardstick for speed alone: it has no lease, no fence and no takeover, so a worker that dies leaves its
 * message `pending` for ever, and a zombie overwrites what its successor wrote.
 */
export async function tutorialContender(sql: postgres.Sql, work: () => Promise<void>): Promise<Contender> {
  await sql`create table tutorial (
    key text primary key, status text not null, response jsonb, created_at timestamptz not null default now())`;
  return {
    name: 'tutorial',
    async handle(key) {
      const [known] = await sql<
        { status: string }[]
      >`select status, response from tutorial where key = ${key}`;
      if (known !== undefined) return;
      const inserted = await sql`
        insert into tutorial (key, status) values (${key}, 'pending') on conflict (key) do nothing`;
      if (inserted.count === 0) return;
      await work();
      await sql`update tutorial set status = 'succeeded', response = ${sql.json({ ok: true })} where key = ${key}`;
    },
    async succeeded() {
      const [row] = await sql<[{ count: number }]>`
        select count(*)::int as count from tutorial where status = 'succeeded'`;
      return row.count;
    },
    async clear() {
      await sql`truncate tutorial`;
    },
  };
}
