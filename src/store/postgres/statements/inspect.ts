import { quoteIdentifier } from '../identifier.ts';

export type InspectStatements = ReturnType<typeof inspectStatements>;

const IS_LIVE = 't.live_until > statement_timestamp()';

/** What a delivery that came now would find. */
const PHASE = `case
    when t.state = 'pending' then case
      when ${IS_LIVE} then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when ${IS_LIVE} then t.state
    else 'expired'
  end`;

const inMs = (time: string): string => `(date_part('epoch', ${time}) * 1000)::bigint::text`;

const COLUMNS = `t.scope, t.key, t.state, ${PHASE} as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, ${inMs('t.created_at')} as created_ms, ${inMs('t.began_at')} as began_ms,
  ${inMs('t.live_until')} as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error`;

/** What a person asks of records, and does to one of them. In those of one record $1 is the scope and $2 the key. */
export function inspectStatements(schema: string) {
  const table = `${quoteIdentifier(schema)}.records`;
  const failures = `${quoteIdentifier(schema)}.failures`;
  // Columns are computed for the chosen rows alone: for all 1.4 million of a day that took 1.1 s.
  const list = (order: 'asc' | 'desc'): string => `
select ${COLUMNS}, null as result
from (
  select *
  from ${table} t
  where t.created_at >= statement_timestamp() - $4::text::float8 * interval '1 millisecond'
    and ($1::text is null or t.scope = $1::text) and ($2::text is null or t.state = $2::text)
    and ($3::text is null or ${PHASE} = $3::text)
  order by t.created_at ${order}
  limit $5::text::bigint
) t
order by t.created_at ${order}`;
  return {
    /** $3 whether the result is wanted too: it can hold what only the application should read. */
    show: `
select ${COLUMNS}, case when $3::text::boolean then t.result end as result
from ${table} t
where t.scope = $1::text and t.key = $2::text`,
    /** $1 scope, $2 state and $3 phase, each null for all, $4 milliseconds since the first claim, $5 how many. */
    newest: list('desc'),
    oldest: list('asc'),
    /**
     * The counters begin again: with those that failed it, the next claim would fail it at once. Its error, its
     * fingerprint and the number of its attempts stay.
     */
    reopen: `
update ${table} t
set state = 'pending', owned = false, failures = 0, deaths = 0, failed_reason = null,
  live_until = statement_timestamp()
where t.scope = $1::text and t.key = $2::text and t.state = 'failed' and ${IS_LIVE}
returning t.key`,
    /** With the lines about its attempts. */
    forget: `
with forgotten as (
  delete from ${table} t
  where t.scope = $1::text and t.key = $2::text
  returning t.state, t.owned, t.live_until
), lines as (
  delete from ${failures} f where f.scope = $1::text and f.key = $2::text
)
select ${PHASE} as phase from forgotten t`,
    /** $1 scope: whether any record has it. */
    hasScope: `
select exists (select from ${table} t where t.scope = $1::text)::text as has_scope`,
  };
}
