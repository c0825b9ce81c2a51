import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseClient } from '../postgres/database-client.ts';

/** Several looks fit into one wait for a lock. */
const LOOK_EVERY_MS = 50;

/**
 * $1: the process id of a session. Those that it waits for, the oldest transaction first. What belongs to other roles
 * comes without a state and a time, for a role without the rights of `pg_read_all_stats`.
 */
const BLOCKERS = `
select string_agg(
  case when b.pid = 0 then 'a prepared transaction' else format('process %s (%s)', b.pid, concat_ws(', ',
    'application ' || quote_literal(nullif(a.application_name, '')), a.backend_type,
    coalesce(a.state, case when a.backend_type is null then 'state unknown' end),
    'its transaction is ' || round(date_part('epoch', clock_timestamp() - a.xact_start)) || ' s old')) end,
  ' and ' order by a.xact_start) as blockers
from (select distinct pid from unnest(pg_blocking_pids($1::text::integer)) as p(pid)) b
  left join pg_catalog.pg_stat_activity a on a.pid = b.pid`;

export type BlockerWatch = ReturnType<typeof watchBlockers>;

/** Follows whom a session waits for. Only while it waits does the server know. */
export function watchBlockers(client: DatabaseClient, pid: string) {
  const { maxConnections = Infinity } = client;
  const watching = new AbortController();
  const { signal } = watching;
  let seen: string | undefined;

  async function look(): Promise<void> {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    const [row] = await client.query(BLOCKERS, [pid]);
    seen = row?.[0] ?? seen;
    await look();
  }

  // What cannot be seen is not named: the lock is what matters.
  if (maxConnections > 1) look().catch(() => undefined);
  return {
    /** Who was seen last. Undefined: no session, as where the client has no second connection to look with. */
    seen: () => seen,
    stop(): void {
      watching.abort();
    },
  };
}
