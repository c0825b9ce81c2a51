import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { costMeter } from '../costs.ts';
import type { Contender, Payload } from './contender.ts';
import type { Work } from './work.ts';

export const TUTORIAL = 'tutorial';

interface TutorialRow {
  readonly status: string;
  readonly payload_hash: string;
  readonly response: unknown;
}

/**
 * What a tutorial does: SELECT, INSERT, the work, UPDATE, one await each, and a hash to refuse another payload.
 *
 * It is the yardstick for speed alone: it has no lease, no fence and no takeover, so a worker that dies leaves its
 * message `pending` without end, and a zombie overwrites what its successor wrote.
 */
export async function tutorialContender(sql: postgres.Sql, work: Work): Promise<Contender> {
  await sql`create table if not exists tutorial (
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
    const response = await work.run();
    await sql`update tutorial set status = 'succeeded', response = ${sql.json({ ...response })} where key = ${key}`;
    return response;
  }

  return {
    name: TUTORIAL,
    work,
    spent: await costMeter(sql),
    async handle(key, payload) {
      await handleOnce(key, payload);
    },
    async succeeded(keys) {
      const [{ count }] = await sql<[{ count: number }]>`
        select count(*)::int as count from tutorial where key = any(${[...keys]}) and status = 'succeeded'`;
      return count;
    },
  };
}
