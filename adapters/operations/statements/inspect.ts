import { quoteIdentifier } from '../../../src/postgres/identifier.ts';

export type InspectStatements = ReturnType<typeof inspectStatements>;

/** Of a record that names no process. */
export const NO_TOKEN = '00000000-0000-0000-0000-000000000000';

const IS_LIVE = 't.live_until > statement_timestamp()';

/** What a delivery would find now. */
export const PHASE = `case
    when t.state = 'pending' then case
      when ${IS_LIVE} then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when ${IS_LIVE} then t.state
    else 'expired'
  end`;

/** Rounded down: what is first claimed at that time or later has the record. */
export const inMs = (time: string): string =>
  `(date_part('epoch', date_trunc('milliseconds', ${time})) * 1000)::bigint::text`;

/** Without a parse: an error that is damaged must not fail a list. It is stored in this order, as JSON. */
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
export const errorName = (column: string): string => `substring(${column} from '^\\{"name":(${TEXT})')`;
/** As records are shown. */
const ERROR_NAME = `case when t.failed_reason = 'deaths-exhausted' then '"DeathsExhaustedError"' else ${errorName('t.error')} end`;
export const errorCode = (column: string): string =>
  `substring(${column} from '^\\{"name":${TEXT},"message":${TEXT},"code":(${TEXT}|[^,}]+)')`;
const ERROR_CODE = `case when t.failed_reason = 'deaths-exhausted' then null else ${errorCode('t.error')} end`;

/** Whether a parameter is the name or the code of an error, as JSON text. */
export const isErrorOf = (name: string, code: string, parameter: string): string =>
  `${parameter}::text in (${name}, ${code}, '"' || ${code} || '"')`;

/** The same of a record `t`. */
export const isErrorOfRecord = (parameter: string): string =>
  `(t.state <> 'succeeded' and ${isErrorOf(ERROR_NAME, ERROR_CODE, parameter)})`;

const moment = (parameter: string): string =>
  `'epoch'::timestamptz + ${parameter}::text::float8 * interval '1 millisecond'`;

/** $1 to $6: scope, state, phase, the error's name or code as JSON text, since and until in milliseconds since 1970. */
const MATCHES = `t.created_at >= ${moment('$5')}
    and ($6::text is null or t.created_at < ${moment('$6')})
    and ($1::text is null or t.scope = $1::text) and ($2::text is null or t.state = $2::text)
    and ($3::text is null or ${PHASE} = $3::text)
    and ($4::text is null or ${isErrorOfRecord('$4')})`;

export const COLUMNS = `t.scope, t.key, t.state, ${PHASE} as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, ${inMs('t.created_at')} as created_ms, ${inMs('t.began_at')} as began_ms,
  ${inMs('t.live_until')} as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error`;

/** The scopes of a table, and a null at the end: one probe of the primary key for each. */
export const scopesIn = (table: string): string => `with recursive scopes as (
  (select t.scope from ${table} t order by t.scope limit 1)
  union all
  select (select t.scope from ${table} t where t.scope > s.scope order by t.scope limit 1)
  from scopes s
  where s.scope is not null
)`;

/** What a person asks of records, and does to one of them. In those of one record $1 is the scope and $2 the key. */
export function inspectStatements(schema: string) {
  const table = `${quoteIdentifier(schema)}.records`;
  const failures = `${quoteIdentifier(schema)}.failures`;
  // Columns are computed for the chosen rows alone: for all 1.4 million of a day that took 1.1 s.
  const list = (order: 'asc' | 'desc'): string => {
    const [behind, first] = order === 'asc' ? ['>', '-infinity'] : ['<', 'infinity'];
    const after = `coalesce('epoch'::timestamptz + $8::text::bigint * interval '1 microsecond', '${first}')`;
    const inOrder = `order by t.created_at ${order}, t.scope ${order}, t.key ${order}`;
    // The cursor is compared twice: the index of times knows the first of the two.
    return `
select ${COLUMNS}, null as result, null as steps,
  (extract(epoch from t.created_at) * 1000000)::bigint::text as created_us
from (
  select *
  from ${table} t
  where ${MATCHES}
    and t.created_at ${behind}= ${after}
    and (t.created_at, t.scope, t.key) ${behind} (${after}, coalesce($9::text, ''), coalesce($10::text, ''))
  ${inOrder}
  limit $7::text::bigint
) t
${inOrder}`;
  };
  return {
    /** $3 whether the result is wanted too: it can hold what only the application should read. */
    show: `
select ${COLUMNS}, case when $3::text::boolean then t.result end as result, t.steps
from ${table} t
where t.scope = $1::text and t.key = $2::text`,
    /**
     * $1 to $6 which records, each null for all, $7 how many, $8 to $10 the cursor that they follow: microseconds of
     * the first claim, scope and key. Null for the first page.
     */
    newest: list('desc'),
    oldest: list('asc'),
    /** $1 to $6 as above. The old error of one that has succeeded says nothing. */
    count: `
select t.scope, t.error_name, t.error_code, count(*)::text as records,
  ${inMs('min(t.created_at)')} as oldest_ms, ${inMs('max(t.created_at)')} as newest_ms
from (
  select t.scope, t.created_at, case when t.state <> 'succeeded' then ${ERROR_NAME} end as error_name,
    case when t.state <> 'succeeded' then ${ERROR_CODE} end as error_code
  from ${table} t
  where ${MATCHES}
) t
group by t.scope, t.error_name, t.error_code
order by count(*) desc, t.scope, t.error_name, t.error_code`,
    /**
     * $1 key, $2 whether the result is wanted too: in all scopes, one after the other. Each costs two probes of the
     * primary key, however many records it has.
     */
    find: `
${scopesIn(table)}
select ${COLUMNS}, case when $2::text::boolean then t.result end as result, t.steps
from scopes s
cross join lateral (select t.* from ${table} t where t.scope = s.scope and t.key = $1::text limit 1) t
where s.scope is not null
order by t.scope`,
    /**
     * The counters begin again: with those that failed it, the next claim would fail it at once. Its error, its
     * fingerprint and the number of its attempts stay. The token of the claim that found the last death would name a
     * process that has run nothing.
     */
    retry: `
update ${table} t
set state = 'pending', owned = false, failures = 0, deaths = 0, failed_reason = null,
  token = case when t.failed_reason = 'deaths-exhausted' then '${NO_TOKEN}' else t.token end,
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
    /**
     * $3 the steps until now, and $4 from now on. An attempt that runs would put its own back, and so would a late
     * write of one whose lease has lapsed: its token is gone, but for the process that it names.
     */
    setSteps: `
update ${table} t
set steps = $4::text,
  token = case when t.owned then (left(t.token::text, 8) || substr(gen_random_uuid()::text, 9))::uuid else t.token end
where t.scope = $1::text and t.key = $2::text and t.steps = $3::text and not (t.owned and ${IS_LIVE})
returning t.key`,
    /** $1 scope: whether any record has it. */
    hasScope: `
select exists (select from ${table} t where t.scope = $1::text)::text as has_scope`,
  };
}
