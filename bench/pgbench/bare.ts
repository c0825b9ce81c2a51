import type { Measured } from '../core/measured.ts';
import type { Database } from '../database.ts';
import { type Pgbench, runPgbench } from './program.ts';

export const BARE = 'pgbench, bare INSERT + UPDATE';

const MOST_CLIENTS = 100;

/** Random keys, as a message's id is: the hash of a number that no other message has. */
const KEY = `md5(concat(:run::text, '-', :client_id::text, '-', :n::text))::uuid::text`;

const SCRIPT = `\\set n :n + 1
insert into bare (key, status, payload_hash) values (${KEY}, 'pending', :hash);
update bare set status = 'succeeded', response = :response where key = ${KEY};
`;

/** The least that a message can cost one at a time, by a client that needs next to no CPU: two statements, no look. */
export async function bareContender(pgbench: Pgbench, { url, sql }: Database): Promise<Measured> {
  await sql`create table bare (
    key text primary key, status text not null, payload_hash text not null, response jsonb,
    created_at timestamptz not null default now())`;
  let runs = 0;
  const succeeded = async (): Promise<number> => {
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::int as count from bare where status = 'succeeded'`;
    return count;
  };
  return {
    name: BARE,
    async measure(_, inFlight) {
      const clients = Math.min(inFlight, MOST_CLIENTS);
      const before = await succeeded();
      runs += 1;
      const variables = { n: 0, run: runs, hash: 'a'.repeat(64), response: '{"ok":true}' };
      const run = await runPgbench(pgbench, { url, script: SCRIPT, clients, variables });
      const recorded = (await succeeded()) - before;
      if (recorded !== run.scripts) {
        throw new Error(`pgbench has ${recorded} messages on record, not ${run.scripts}`);
      }
      return { fresh: run.scriptsPerSecond };
    },
  };
}
