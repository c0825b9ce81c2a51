import { quoteIdentifier } from '../identifier.ts';

/** A record that fails without end keeps the first lines of each life of its key. */
export const LINES_PER_RECORD = 100;

const LONG_AGO = `statement_timestamp() - $3::text::float8 * interval '1 millisecond'`;

const inPages = (t: string): string => `${t}.ctid >= $1::text::tid and ${t}.ctid < $2::text::tid`;

/** What is written beside the records: never in one statement with a claim or a settle. */
export function historyStatements(schema: string) {
  const quoted = quoteIdentifier(schema);
  const failures = `${quoted}.failures`;
  const workers = `${quoted}.workers`;
  const stats = `${quoted}.stats`;
  const records = `${quoted}.records`;
  return {
    /** $1 id, $2 host, $3 pid, $4 version, $5 milliseconds since the process started. */
    worker: `
insert into ${workers} (id, host, pid, version, started_at, seen_at)
values ($1::text, $2::text, $3::text::integer, $4::text,
  statement_timestamp() - $5::text::float8 * interval '1 millisecond', statement_timestamp())
on conflict (id) do update set seen_at = excluded.seen_at`,
    /**
     * $1 scope, $2 to $8 as columns of lines, in arrays; $2 is milliseconds since the end of the attempt. The places,
     * from 1, of those that are not written, since their records have enough.
     */
    failures: `
with lines as materialized (
  select l.*, (
      select count(*) from (
        select from ${failures} f
        where f.scope = $1::text and f.key = l.key and f.ended_at >= coalesce((
          select t.created_at from ${records} t where t.scope = $1::text and t.key = l.key
        ), '-infinity')
        limit ${LINES_PER_RECORD}) as known
    ) + row_number() over (partition by l.key order by l.place) <= ${LINES_PER_RECORD} as has_room
  from unnest((select $2::text::float8[]), (select $3::text::integer[]), (select $4::text::integer[]),
    (select $5::text::text[]), (select $6::text::text[]), (select $7::text::text[]), (select $8::text::text[]))
    with ordinality as l(age_ms, took_ms, attempt, key, ending, worker, error, place)
), written as (
  insert into ${failures} (ended_at, took_ms, attempt, scope, key, ending, worker, error)
  select statement_timestamp() - l.age_ms * interval '1 millisecond',
    l.took_ms, l.attempt, $1::text, l.key, l.ending, l.worker, l.error
  from lines l
  where l.has_room
  order by l.place
)
select l.place::text as place from lines l where not l.has_room order by l.place`,
    /** $1 scope, $2 key: its lines, the oldest first, each with its worker. */
    explain: `
select f.attempt::text as attempt, f.ending, (date_part('epoch', f.ended_at) * 1000)::bigint::text as ended_ms,
  f.took_ms::text as took_ms, f.error, f.worker, w.host, w.pid::text as pid, w.version,
  (date_part('epoch', w.started_at) * 1000)::bigint::text as started_ms
from ${failures} f left join ${workers} w on w.id = f.worker
where f.scope = $1::text and f.key = $2::text
order by f.id`,
    /** $1 id. */
    findWorker: `
select w.id, w.host, w.pid::text as pid, w.version,
  (date_part('epoch', w.started_at) * 1000)::bigint::text as started_ms
from ${workers} w
where w.id = $1::text`,
    /** $1 scopes, $2 events, $3 counts. In one order, so that two processes cannot deadlock. */
    stats: `
insert into ${stats} (scope, minute, event, count)
select l.scope, date_trunc('minute', statement_timestamp()), l.event, l.count
from unnest($1::text::text[], $2::text::text[], $3::text::bigint[]) as l(scope, event, count)
order by l.scope collate "C", l.event collate "C"
on conflict (scope, minute, event) do update set count = ${stats}.count + excluded.count`,
    /** $1 scope, null for all, $2 milliseconds since then. */
    readStats: `
select s.scope, (date_part('epoch', s.minute) * 1000)::bigint::text as minute_ms, s.event, s.count::text as count
from ${stats} s
where s.minute >= statement_timestamp() - $2::text::float8 * interval '1 millisecond'
  and ($1::text is null or s.scope = $1::text)
order by s.minute, s.scope, s.event`,
    /** This and the next two: $1 and $2 the first place and the one after the last, $3 milliseconds. */
    forgetStats: `
delete from ${stats} s
where ${inPages('s')} and s.minute < ${LONG_AGO}`,
    /**
     * Lines of earlier lives of a key, and those whose record has been gone for so long. One record after the other, by
     * key: a join could read all of the records.
     */
    forgetFailures: `
delete from ${failures} f
where ${inPages('f')} and f.ended_at < coalesce(
  (select t.created_at from ${records} t where t.scope = f.scope and t.key = f.key), ${LONG_AGO})`,
    forgetWorkers: `
delete from ${workers} w
where ${inPages('w')} and w.seen_at < ${LONG_AGO}`,
  };
}
