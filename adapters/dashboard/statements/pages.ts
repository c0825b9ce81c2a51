import { quoteIdentifier } from '../../../src/postgres/identifier.ts';
import {
  COLUMNS,
  errorCode,
  errorName,
  inMs,
  isErrorOf,
  isErrorOfRecord,
  PHASE,
  scopesIn,
} from '../../operations/statements/inspect.ts';

const ago = (parameter: string): string =>
  `statement_timestamp() - ${parameter}::text::float8 * interval '1 millisecond'`;

/** What pages read beyond what operations have. */
export function pageStatements(schema: string) {
  const quoted = quoteIdentifier(schema);
  const records = `${quoted}.records`;
  const failures = `${quoted}.failures`;
  const audit = `${quoted}.audit`;
  /** The record of a line, by one probe: a join would read all records. The limit keeps it from becoming one. */
  const RECORD = `left join lateral (
      select t.* from ${records} t where t.scope = f.scope and t.key = f.key limit 1
    ) t`;
  /** $1 milliseconds since, $2 to $4 scope, ending and the error's name or code, each null for all. */
  const CHOSEN = `f.ended_at >= ${ago('$1')} and ($2::text is null or f.scope = $2::text)
    and ($3::text is null or f.ending = $3::text) and ($4::text is null or ${isErrorOf(errorName('f.error'), errorCode('f.error'), '$4')})`;
  return {
    /** $1 the schema, $2 names of tables: with their partitions. */
    sizes: `
select t.name, sum(pg_table_size(p.oid))::bigint::text as table_bytes,
  sum(pg_indexes_size(p.oid))::bigint::text as index_bytes,
  coalesce(sum(s.n_live_tup), 0)::bigint::text as live_rows, coalesce(sum(s.n_dead_tup), 0)::bigint::text as dead_rows
from unnest($2::text::text[]) with ordinality as t(name, place)
  join pg_catalog.pg_class c on c.relname = t.name and c.relkind in ('r', 'p')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
  join pg_catalog.pg_class p on p.relkind = 'r'
    and (p.oid = c.oid or p.oid in (select relid from pg_partition_tree(c.oid::regclass) where isleaf))
  left join pg_catalog.pg_stat_user_tables s on s.relid = p.oid
group by t.name, t.place
order by t.place`,
    /** $1 milliseconds since, $2 how many. */
    workers: `
select w.id, w.host, w.pid::text as pid, w.version, ${inMs('w.started_at')} as started_ms, ${inMs('w.seen_at')} as seen_ms
from ${quoted}.workers w
where w.seen_at >= ${ago('$1')}
order by w.started_at desc, w.id
limit $2::text::bigint`,
    /**
     * $1 to $4 as in CHOSEN, $5 how many: the most frequent first, each with its newest line, which one pass finds as
     * the largest pair of id and key.
     */
    groups: `
select g.scope, g.ending, g.error_name, g.error_code, g.lines::text as lines, g.failed_now::text as failed_now,
  ${inMs('g.first_at')} as first_ms, ${inMs('g.last_at')} as last_ms, n.key, n.error
from (
  select f.scope, f.ending, ${errorName('f.error')} as error_name, ${errorCode('f.error')} as error_code,
    count(*) as lines, count(distinct t.key) as failed_now, min(f.ended_at) as first_at, max(f.ended_at) as last_at,
    max(array[lpad(f.id::text, 20, '0'), f.key] collate "C") as newest
  from ${failures} f
    ${RECORD} on f.ending = 'failed' and t.state = 'failed'
      and ${errorName('t.error')} is not distinct from ${errorName('f.error')}
      and ${errorCode('t.error')} is not distinct from ${errorCode('f.error')}
  where ${CHOSEN}
  group by 1, 2, 3, 4
  order by count(*) desc, 1, 2, 3, 4
  limit $5::text::bigint
) g
left join lateral (
  select f.key, f.error from ${failures} f
  where f.scope = g.scope and f.key = g.newest[2] and f.id = g.newest[1]::bigint
) n on true
order by g.lines desc, g.scope, g.ending, g.error_name, g.error_code`,
    /** $1 to $4 as in CHOSEN: how many, how many of them are failed now, and the first claim of the oldest of those. */
    failed: `
select count(distinct (f.scope, f.key))::text as messages,
  (count(distinct (f.scope, f.key)) filter (where t.key is not null))::text as failed_now,
  ${inMs('min(t.created_at)')} as created_ms
from ${failures} f
  ${RECORD} on t.state = 'failed'
where ${CHOSEN}`,
    /**
     * $1 to $4 as in CHOSEN, $5 the phase that the record is in now, null for any or none, $6 how many, $7 and $8 the
     * line that they follow: its time in microseconds and its id.
     */
    lines: `
select f.scope, f.key, f.ending, f.attempt::text as attempt, ${inMs('f.ended_at')} as ended_ms, f.error,
  case when t.scope is null then 'gone' else ${PHASE} end as phase,
  (extract(epoch from f.ended_at) * 1000000)::bigint::text as ended_us, f.id::text as id
from ${failures} f ${RECORD} on true
where ${CHOSEN} and ($5::text is null or ${PHASE} = $5::text)
  and ($7::text is null
    or (f.ended_at, f.id) < ('epoch'::timestamptz + $7::text::bigint * interval '1 microsecond', $8::text::bigint))
order by f.ended_at desc, f.id desc
limit $6::text::bigint`,
    /**
     * $1 scope, null for all, $2 and $3 the first key and the one after the last, $4 and $5 the scope and key that they
     * follow, $6 how many. By the primary key, in one scope after the other.
     */
    byKey: `
${scopesIn(records)}
select ${COLUMNS}, null as result, null as steps
from scopes s cross join lateral (
  select t.*
  from ${records} t
  where t.scope = s.scope and t.key >= $2::text and t.key < $3::text
    and t.key > case when s.scope = $4::text then $5::text else '' end
  order by t.key
  limit $6::text::bigint
) t
where s.scope is not null and ($1::text is null or s.scope = $1::text) and ($4::text is null or s.scope >= $4::text)
order by t.scope, t.key
limit $6::text::bigint`,
    /** $1 and $2 the places before the first and after the last, $3 to $5 phase, error and scope, $6 how many. */
    byPlace: (leaf: string): string => `
select ${COLUMNS}, null as result, null as steps, t.ctid::text as place
from only ${leaf} t
where t.ctid > $1::text::tid and t.ctid < $2::text::tid
  and ($3::text is null or ${PHASE} = $3::text)
  and ($4::text is null or ${isErrorOfRecord('$4')})
  and ($5::text is null or t.scope = $5::text)
limit $6::text::bigint`,
    /** At most 1,000. */
    scopes: `
${scopesIn(records)}
select s.scope from scopes s where s.scope is not null limit 1000`,
    /** $1 how many, $2 the id that they precede. */
    audit: `
select a.id::text as id, ${inMs('a.begun_at')} as begun_ms, ${inMs('a.ended_at')} as ended_ms,
  ${inMs('a.seen_at')} as seen_ms, a.expected::text as expected, a.done::text as done, a.stop::text as stop, a.person,
  a.action, a.scope, a.key, a.filter, a.outcome
from ${audit} a
where ($2::text is null or a.id < $2::text::bigint)
order by a.id desc
limit $1::text::bigint`,
    /** $1 person, $2 action, $3 scope, $4 key, $5 filter, $6 how many. No row: the form was sent before. */
    begin: `
insert into ${audit} (person, action, scope, key, filter, expected)
values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text::bigint)
on conflict do nothing
returning id::text as id`,
    /** $1 id, $2 how many are done. Whether it is to stop. */
    progress: `
update ${audit} set done = $2::text::bigint, seen_at = statement_timestamp()
where id = $1::text::bigint and ended_at is null
returning stop::text as stop`,
    /** $1 id, $2 how many were done, $3 the outcome. */
    end: `
update ${audit}
set done = $2::text::bigint, outcome = $3::text, seen_at = statement_timestamp(), ended_at = statement_timestamp()
where id = $1::text::bigint
returning id::text as id`,
    /** $1 id, $2 person: who asked for it is a line of its own. */
    stop: `
with stopped as (
  update ${audit} set stop = true where id = $1::text::bigint and ended_at is null returning id, scope
)
insert into ${audit} (person, action, scope, filter, expected, done, outcome, ended_at)
select $2::text, 'stop', s.scope, json_build_object('action', s.id)::text, 1, 1, 'finished', statement_timestamp()
from stopped s
returning id::text as id`,
  };
}
