import { inPages, LINES_PER_RECORD } from './history.ts';

/** Free to run for $3 milliseconds, and not delivered again. */
const ABANDONED = `(t.state = 'pending' and t.live_until <= statement_timestamp() - $3::text::float8 * interval '1 millisecond')`;

/** A record that counts as absent, or was abandoned for $4 milliseconds. A pending one that is live is neither. */
const EXPIRED = `(t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))`;

/** Quoted, with their schemas. */
export interface PurgeTables {
  readonly leaf: string;
  readonly maintenance: string;
  readonly failures: string;
  readonly archive?: string | undefined;
}

const KEPT_COLUMNS = `live_until, created_at, began_at, token, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error, steps`;

/**
 * Purges the expired records of some pages of a table, and counts what stays, by scope and state. Parameters: $1 and $2
 * the first place and the one after the last, $3 and $4 as in `ABANDONED` and `EXPIRED`, $5 the runner's token.
 *
 * - It needs no index: to find records by state or time with one costs every settle its HOT update. A range of places
 *   is read as it stands on disk.
 * - `for update skip locked` waits for no claim, and looks again at a record that a claim has changed since this
 *   statement began. What is deleted is found by the place that was locked: a newer version of the record has another
 *   place, and stays.
 * - The row without a scope is how many were deleted.
 * - A runner that was taken over from deletes nothing: it could not be counted.
 * - What is archived, deleted and counted is one statement: a crash loses none of it.
 * - The lines about the attempts of a record go with it. Each is found by the index, however many there are.
 */
export function purgeStatement({ leaf, maintenance, failures, archive }: PurgeTables): string {
  const archived =
    archive === undefined
      ? ''
      : `, archived as (
  insert into ${archive} (purged_at, ${KEPT_COLUMNS})
  select statement_timestamp(), ${KEPT_COLUMNS} from purged
)`;
  return `
with expired as materialized (
  select t.ctid as place from only ${leaf} t
  where ${inPages('t')} and ${EXPIRED}
    and exists (select from ${maintenance} m where m.runner = $5::text::uuid)
  for update of t skip locked
), purged as (
  delete from only ${leaf} t
  where t.ctid = any(array(select place from expired))
  returning ${KEPT_COLUMNS}
)${archived}, forgotten as (
  delete from ${failures}
  where ctid = any(array(
    select line.place from purged p
    cross join lateral (
      select f.ctid as place from ${failures} f where f.scope = p.scope and f.key = p.key limit ${LINES_PER_RECORD}
    ) line))
), counted as (
  update ${maintenance} set purged = purged + (select count(*) from purged)
  where runner = $5::text::uuid and exists (select from purged)
), remaining as (
  select t.scope, t.state, t.created_at, ${ABANDONED} as abandoned from only ${leaf} t
  where ${inPages('t')} and not ${EXPIRED}
)
select null as scope, null as state, count(*)::text as records, null as abandoned, null as oldest_ms
from purged
union all
select scope, state, count(*)::text as records, count(*) filter (where abandoned)::text as abandoned,
  ceil(date_part('epoch', min(created_at)) * 1000)::bigint::text as oldest_ms
from remaining
group by scope, state`;
}
