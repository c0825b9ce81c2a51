import type { Sql } from 'postgres';

/** What became of one kind of effect. */
export interface Effects {
  readonly total: number;
  /** Orders that never got it. */
  readonly lost: number;
  /** Orders that got it more than once. */
  readonly doubled: number;
}

/** What happened in a trial, as the rows in the database tell it. */
export interface Tally {
  readonly messages: number;
  readonly orders: number;
  readonly deliveries: number;
  readonly disturbances: number;
  readonly runs: number;
  readonly charges: Effects;
  readonly emails: Effects;
}

/** What only handle-once's own records tell. */
export interface RecordsTally {
  readonly succeeded: number;
  readonly replays: number;
  readonly takeovers: number;
}

export async function tally(sql: Sql): Promise<Tally> {
  const [counts] = await sql<[Omit<Tally, 'charges' | 'emails'>]>`
    select
      (select count(*) from messages)::int as messages,
      (select count(distinct order_id) from messages)::int as orders,
      (select count(*) from deliveries)::int as deliveries,
      (select count(*) from disturbances)::int as disturbances,
      (select count(*) from runs)::int as runs`;
  return { ...counts, charges: await effects(sql, 'charges'), emails: await effects(sql, 'emails') };
}

async function effects(sql: Sql, table: 'charges' | 'emails'): Promise<Effects> {
  const [found] = await sql<[Effects]>`
    select sum(times)::int as total,
      count(*) filter (where times = 0)::int as lost,
      count(*) filter (where times > 1)::int as doubled
    from (
      select orders.order_id, count(effect.order_id) as times
      from (select distinct order_id from messages) as orders
      left join ${sql(table)} as effect using (order_id)
      group by orders.order_id
    ) as per_order`;
  return found;
}

/** No handler throws here, so each attempt after the first is a takeover. */
export async function tallyRecords(sql: Sql, recordsSchema: string): Promise<RecordsTally> {
  const [counts] = await sql<[RecordsTally]>`
    select
      (select count(*) from replays)::int as replays,
      count(*) filter (where state = 'succeeded')::int as succeeded,
      coalesce(sum(attempts - 1), 0)::int as takeovers
    from ${sql(recordsSchema)}.records`;
  return counts;
}
