import { inMs } from './inspect.ts';
import { quoteIdentifier } from '../../../src/postgres/identifier.ts';

export type MaintenanceStatements = ReturnType<typeof maintenanceStatements>;

/** When the last walk ended. Where it found no record: the runner of such a walk gives its lease up at its end. */
export function lastWalkEnd(schema: string): string {
  const quoted = quoteIdentifier(schema);
  return `coalesce((select max(taken_at) from ${quoted}.census), (
    select live_until from ${quoted}.maintenance
    where walk is null and live_until < due_at and live_until <= statement_timestamp()
  ))`;
}

/** What one runner at a time does with the row of `maintenance`. $1 is always the runner's token. */
export function maintenanceStatements(schema: string) {
  const quoted = quoteIdentifier(schema);
  const table = `${quoted}.maintenance`;
  const census = `${quoted}.census`;
  const soon = `statement_timestamp() + $2::text::float8 * interval '1 millisecond'`;
  return {
    /** $2 milliseconds until another may take over, $3 whether a walk begins before its time. No row: not now. */
    take: `
insert into ${table} as m (runner, live_until, due_at)
values ($1::text::uuid, ${soon}, statement_timestamp())
on conflict (only_row) do update set runner = excluded.runner, live_until = excluded.live_until
where m.live_until <= statement_timestamp()
  and (m.walk is not null or m.due_at <= statement_timestamp() or $3::text::boolean)
returning m.walk`,
    /** $2 as before, $3 how far the walk has come. No row: another runner has taken over. */
    keep: `
update ${table} set live_until = ${soon}, walk = $3::text
where runner = $1::text::uuid
returning purged::text as purged`,
    /** $2 milliseconds until the next walk. No row: another runner has taken over. */
    finish: `
with ended as (
  select runner, purged from ${table} where runner = $1::text::uuid for update
)
update ${table} m set live_until = statement_timestamp(), due_at = ${soon}, walk = null, purged = 0
from ended where m.runner = ended.runner
returning ended.purged::text as purged`,
    /** The walk goes on elsewhere, or here later. */
    leave: `
update ${table} set live_until = statement_timestamp()
where runner = $1::text::uuid
returning purged::text as purged`,
    /** $1 to $5 the columns of the census, as arrays. In the transaction of \`finish\`. */
    count: `
insert into ${census} (scope, state, records, abandoned, oldest_at, taken_at)
select c.scope, c.state, c.records, c.abandoned, to_timestamp(c.oldest_ms / 1000), now()
from unnest($1::text::text[], $2::text::text[], $3::text::bigint[], $4::text::bigint[], $5::text::float8[])
  as c(scope, state, records, abandoned, oldest_ms)
on conflict (scope, state) do update set records = excluded.records, abandoned = excluded.abandoned,
  oldest_at = excluded.oldest_at, taken_at = excluded.taken_at`,
    forget: `
delete from ${census} where taken_at < now()`,
    read: `
select scope, state, records::text as records, abandoned::text as abandoned,
  ${inMs('oldest_at')} as oldest_ms,
  ${inMs('taken_at')} as taken_ms
from ${census}
order by scope, state`,
    ended: `
select ${inMs(lastWalkEnd(schema))} as ended_ms`,
    /**
     * The month of the archive that is now, and the next: name, first day, the day after the last; whether it is there.
     */
    months: `
select to_char(month, '"archive_"YYYY_MM') as name, to_char(month, 'YYYY-MM-01') as first,
  to_char(month + interval '1 month', 'YYYY-MM-01') as beyond,
  exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = $1::text::regclass and c.relname = to_char(month, '"archive_"YYYY_MM'))::text as attached
from (select date_trunc('month', statement_timestamp() at time zone 'UTC') + n * interval '1 month' as month
  from generate_series(0, 1) as n) as months`,
  };
}
