import type { Measured } from '../core/measured.ts';
import type { Database } from '../database.ts';
import { type Pgbench, runPgbench } from './program.ts';
import { claimScript, settleScript } from './our-statements.ts';

const MOST_CLIENTS = 100;
const SCOPE = 'ceiling';
/** More than any machine gets through in the time. */
const MOST_MESSAGES = 200_000;

/**
 * The statements of this package by a client that needs next to no CPU: what is left of it is the server's part.
 *
 * Keys and tokens of a batch are looked up by its number, since pgbench cannot make arrays.
 */
export async function ceilingContender(
  pgbench: Pgbench,
  { url, sql }: Database,
  batch: number,
): Promise<Measured> {
  await sql`create table if not exists batches (id bigint primary key, keys text not null, tokens text not null)`;
  const claim = await claimScript(SCOPE, batch);
  const settle = await settleScript(SCOPE, batch);
  const script = `\\set n :n + 1
\\set id :client_id * :each + :n
${claim.sql};
${settle.sql};
`;

  async function succeeded(): Promise<number> {
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::int as count from handle_once.records where scope = ${SCOPE} and state = 'succeeded'`;
    return count;
  }

  async function makeBatches(count: number): Promise<void> {
    await sql`truncate batches`;
    await sql`
      insert into batches
      select id, array_agg(key order by key collate "C")::text, array_agg(gen_random_uuid())::text
      from (
        select id, gen_random_uuid()::text as key
        from generate_series(1, ${count}::int) as id, generate_series(1, ${batch}::int)
      ) as messages
      group by id`;
    await sql`analyze batches`;
  }

  return {
    name: `pgbench, our statements, batches of ${batch}`,
    smallestInFlight: batch,
    async measure(_, inFlight) {
      const clients = Math.min(Math.max(1, Math.floor(inFlight / batch)), MOST_CLIENTS);
      const each = Math.ceil(MOST_MESSAGES / clients / batch);
      await makeBatches(clients * each);
      const variables = { ...claim.variables, ...settle.variables, n: 0, each };
      const before = await succeeded();
      const run = await runPgbench(pgbench, { url, script, clients, variables });
      const recorded = (await succeeded()) - before;
      const expected = run.scripts * batch;
      if (recorded !== expected)
        throw new Error(`pgbench has ${recorded} messages on record, not ${expected}`);
      return { fresh: run.scriptsPerSecond * batch };
    },
  };
}
