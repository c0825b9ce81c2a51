import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';

const EVERY_MS = 20;

/** How often the sessions of a database were seen to wait for each thing; `none` for those that ran, or could have. */
export type Waits = Map<string, number>;

/** Looks at the sessions while something runs, and adds to `waits` what they wait for. */
export async function watched<T>(sql: postgres.Sql, waits: Waits, run: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const watching = watch(sql, waits, over.signal);
  try {
    return await run();
  } finally {
    over.abort();
    await watching;
  }
}

async function watch(sql: postgres.Sql, waits: Waits, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await look(sql, waits);
    await sleep(EVERY_MS);
  }
}

async function look(sql: postgres.Sql, waits: Waits): Promise<void> {
  const rows = await sql<{ wait: string; sessions: number }[]>`
    select coalesce(wait_event_type || ' ' || wait_event, 'none') as wait, count(*)::int as sessions
    from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
    group by 1`;
  for (const { wait, sessions } of rows) waits.set(wait, (waits.get(wait) ?? 0) + sessions);
}

/** As shares of all, without those below half a per cent. */
export function describeWaits(waits: Waits): string {
  const all = [...waits.values()].reduce((sum, count) => sum + count, 0);
  return [...waits]
    .map(([wait, count]) => ({ wait, percent: Math.round((100 * count) / all) }))
    .filter(({ percent }) => percent > 0)
    .toSorted((one, other) => other.percent - one.percent)
    .map(({ wait, percent }) => `${wait} ${percent} %`)
    .join(', ');
}
