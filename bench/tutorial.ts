import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import type { Contender, Payload } from './contender.ts';

interface TutorialRow {
  readonly status: string;
  readonly payload_hash: string;
  readonly response: unknown;
}

/**
 * What a tutorial does: SELECT, INSERT, the work, UPDATE, one await each, and a hash to refuse another payload.
 *
 * It is the yardstick for speed alone: it has no lease, no fence and no takeover, so a worker that dies leaves its
 * message `pending` for ever, and a zombie overwrites what its successor wrote.
 */
export async function tutorialContender<R extends postgres.JSONValue>(
  sql: postgres.Sql,
  work: () => Promise<R>,
): Promise<Contender> {
  await sql`create table tutorial (
    key text primary key, status text not null, payload_hash text not null, response jsonb,
    created_at timestamptz not null default now())`;

  async function handleOnce(key: string, payload: Payload): Promise<unknown> {
    const hash = createHash('sha256').update(JSON.stringify(payload)).digest('hex');
    const [known] = await sql<TutorialRow[]>`
      select status, payload_hash, response from tutorial where key = ${key}`;
    if (known !== undefined && known.payload_hash !== hash) throw new Error('another payload');
    if (known !== undefined) return known.response;
    const inserted = await sql`
      insert into tutorial (key, status, payload_hash) values (${key}, 'pending', ${hash})
      on conflict (key) do nothing`;
    if (inserted.count === 0) return undefined;
    const response = await work();
    await sql`update tutorial set status = 'succeeded', response = ${sql.json(response)} where key = ${key}`;
    return response;
  }

  return {
    name: 'tutorial',
    async handle(key, payload) {
      await handleOnce(key, payload);
    },
    async succeeded() {
      const [row] = await sql<[{ count: number }]>`
        select count(*)::int as count from tutorial where status = 'succeeded'`;
      return row.count;
    },
  };
}
