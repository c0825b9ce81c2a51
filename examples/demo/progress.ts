import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { Patience } from './patience.ts';

/** What a worker has done and not done. */
export interface Progress {
  readonly ended: number;
  /** Handlers that it has started and not ended. */
  readonly running: number;
  /** Of these, those that have charged and mailed already. */
  readonly pastEffects: number;
}

export async function progressOf(sql: Sql, worker: number): Promise<Progress> {
  const [found] = await sql<[Progress]>`
    select
      count(ended_at)::int as ended,
      count(*) filter (where ended_at is null)::int as running,
      count(*) filter (where ended_at is null and exists (select from emails where run = runs.id))::int
        as "pastEffects"
    from runs
    where worker = ${worker}`;
  return found;
}

/** Such as `1: 200, 2: 60`. */
export async function deliveriesByWorker(sql: Sql): Promise<string> {
  const rows = await sql<{ worker: number; count: number }[]>`
    select worker, count(*)::int as count from deliveries group by worker order by worker`;
  return rows.map(({ worker, count }) => `${worker}: ${count}`).join(', ');
}

/** Whether another worker has begun again with an order that this one had begun with. */
export async function isTakenOver(sql: Sql, worker: number): Promise<boolean> {
  const [{ found }] = await sql<[{ found: boolean }]>`
    select exists (
      select from runs as before
      join runs as after on after.order_id = before.order_id and after.id > before.id
      where before.worker = ${worker} and after.worker <> ${worker}
    ) as found`;
  return found;
}

export async function uncharged(sql: Sql): Promise<string[]> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(distinct order_id)::int as count
    from messages
    where order_id not in (select order_id from charges)`;
  return count === 0 ? [] : [`${count} orders are not charged`];
}

/** Looks again and again, until nothing is missing. Throws what is missing when the patience ends. */
export async function untilNothingIsMissing(
  look: () => Promise<string[]>,
  everyMs: number,
  { signal, progressed }: Pick<Patience, 'signal' | 'progressed'>,
): Promise<void> {
  let before = '';
  for (;;) {
    const missing = (await look()).join(', ');
    if (missing !== before) progressed();
    if (missing === '') return;
    if (signal.aborted) throw new Error(`${(signal.reason as Error).message}: ${missing}`);
    before = missing;
    await sleep(everyMs);
  }
}
