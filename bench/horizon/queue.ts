import type postgres from 'postgres';
import type { Contender } from '../core/contender.ts';
import type { Work } from '../core/work.ts';
import { costMeter } from '../costs.ts';

export const QUEUE = 'SKIP LOCKED queue';

/**
 * A table of messages as most write it: INSERT, then a worker takes the oldest that is not locked, does the work, and
 * deletes it in the same transaction. Which of the messages in flight a worker takes does not matter.
 */
export async function queueContender(sql: postgres.Sql, work: Work): Promise<Contender> {
  await sql`create table queue (
    id bigint generated always as identity primary key, key text not null, payload jsonb not null)`;

  const take = (): Promise<boolean> =>
    sql.begin(async (tx) => {
      const [message] = await tx<{ id: string }[]>`
        select id, payload from queue order by id for update skip locked limit 1`;
      if (message === undefined) return false;
      await work.run();
      await tx`delete from queue where id = ${message.id}`;
      return true;
    });

  return {
    name: QUEUE,
    work,
    spent: await costMeter(sql),
    async handle(key, payload) {
      await sql`insert into queue (key, payload) values (${key}, ${sql.json({ ...payload })})`;
      // Another worker can take every message that this one's snapshot has, and leave a newer one.
      while (!(await take()));
    },
    async succeeded(keys) {
      const [{ count }] = await sql<[{ count: number }]>`
        select count(*)::int as count from queue where key = any(${[...keys]})`;
      return keys.length - count;
    },
  };
}
