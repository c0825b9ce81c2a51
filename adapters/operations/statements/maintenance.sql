-- take
insert into "handle_once".maintenance as m (runner, live_until, due_at)
values ($1::text::uuid, statement_timestamp() + $2::text::float8 * interval '1 millisecond', statement_timestamp())
on conflict (only_row) do update set runner = excluded.runner, live_until = excluded.live_until
where m.live_until <= statement_timestamp()
  and (m.walk is not null or m.due_at <= statement_timestamp() or $3::text::boolean)
returning m.walk;

-- keep
update "handle_once".maintenance set live_until = statement_timestamp() + $2::text::float8 * interval '1 millisecond', walk = $3::text
where runner = $1::text::uuid
returning purged::text as purged;

-- finish
with ended as (
  select runner, purged from "handle_once".maintenance where runner = $1::text::uuid for update
)
update "handle_once".maintenance m set live_until = statement_timestamp(), due_at = statement_timestamp() + $2::text::float8 * interval '1 millisecond', walk = null, purged = 0
from ended where m.runner = ended.runner
returning ended.purged::text as purged;

-- leave
update "handle_once".maintenance set live_until = statement_timestamp()
where runner = $1::text::uuid
returning purged::text as purged;

-- count
insert into "handle_once".census (scope, state, records, abandoned, oldest_at, taken_at)
select c.scope, c.state, c.records, c.abandoned, to_timestamp(c.oldest_ms / 1000), now()
from unnest($1::text::text[], $2::text::text[], $3::text::bigint[], $4::text::bigint[], $5::text::float8[])
  as c(scope, state, records, abandoned, oldest_ms)
on conflict (scope, state) do update set records = excluded.records, abandoned = excluded.abandoned,
  oldest_at = excluded.oldest_at, taken_at = excluded.taken_at;

-- forget
delete from "handle_once".census where taken_at < now();

-- read
select scope, state, records::text as records, abandoned::text as abandoned,
  (date_part('epoch', date_trunc('milliseconds', oldest_at)) * 1000)::bigint::text as oldest_ms,
  (date_part('epoch', date_trunc('milliseconds', taken_at)) * 1000)::bigint::text as taken_ms
from "handle_once".census
order by scope, state;

-- ended
select (date_part('epoch', date_trunc('milliseconds', coalesce((select max(taken_at) from "handle_once".census), (
    select live_until from "handle_once".maintenance
    where walk is null and live_until < due_at and live_until <= statement_timestamp()
  )))) * 1000)::bigint::text as ended_ms;

-- months
select to_char(month, '"archive_"YYYY_MM') as name, to_char(month, 'YYYY-MM-01') as first,
  to_char(month + interval '1 month', 'YYYY-MM-01') as beyond,
  exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = $1::text::regclass and c.relname = to_char(month, '"archive_"YYYY_MM'))::text as attached
from (select date_trunc('month', statement_timestamp() at time zone 'UTC') + n * interval '1 month' as month
  from generate_series(0, 1) as n) as months;
