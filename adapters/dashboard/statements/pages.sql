-- sizes
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
order by t.place;

-- workers
select w.id, w.host, w.pid::text as pid, w.version, (date_part('epoch', date_trunc('milliseconds', w.started_at)) * 1000)::bigint::text as started_ms, (date_part('epoch', date_trunc('milliseconds', w.seen_at)) * 1000)::bigint::text as seen_ms
from "handle_once".workers w
where w.seen_at >= statement_timestamp() - $1::text::float8 * interval '1 millisecond'
order by w.started_at desc, w.id
limit $2::text::bigint;

-- groups
select g.scope, g.ending, g.error_name, g.error_code, g.lines::text as lines, g.failed_now::text as failed_now,
  (date_part('epoch', date_trunc('milliseconds', g.first_at)) * 1000)::bigint::text as first_ms, (date_part('epoch', date_trunc('milliseconds', g.last_at)) * 1000)::bigint::text as last_ms, n.key, n.error
from (
  select f.scope, f.ending, substring(f.error from '^\{"name":("(?:[^"\\]|\\.)*")') as error_name, substring(f.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') as error_code,
    count(*) as lines, count(distinct t.key) as failed_now, min(f.ended_at) as first_at, max(f.ended_at) as last_at,
    max(array[lpad(f.id::text, 20, '0'), f.key] collate "C") as newest
  from "handle_once".failures f
    left join lateral (
      select t.* from "handle_once".records t where t.scope = f.scope and t.key = f.key limit 1
    ) t on f.ending = 'failed' and t.state = 'failed'
      and substring(t.error from '^\{"name":("(?:[^"\\]|\\.)*")') is not distinct from substring(f.error from '^\{"name":("(?:[^"\\]|\\.)*")')
      and substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') is not distinct from substring(f.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)')
  where f.ended_at >= statement_timestamp() - $1::text::float8 * interval '1 millisecond' and ($2::text is null or f.scope = $2::text)
    and ($3::text is null or f.ending = $3::text) and ($4::text is null or $4::text in (substring(f.error from '^\{"name":("(?:[^"\\]|\\.)*")'), substring(f.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)'), '"' || substring(f.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') || '"'))
  group by 1, 2, 3, 4
  order by count(*) desc, 1, 2, 3, 4
  limit $5::text::bigint
) g
left join lateral (
  select f.key, f.error from "handle_once".failures f
  where f.scope = g.scope and f.key = g.newest[2] and f.id = g.newest[1]::bigint
) n on true
order by g.lines desc, g.scope, g.ending, g.error_name, g.error_code;

-- failed
select count(distinct (f.scope, f.key))::text as messages,
  (count(distinct (f.scope, f.key)) filter (where t.key is not null))::text as failed_now,
  (date_part('epoch', date_trunc('milliseconds', min(t.created_at))) * 1000)::bigint::text as created_ms
from "handle_once".failures f
  left join lateral (
      select t.* from "handle_once".records t where t.scope = f.scope and t.key = f.key limit 1
    ) t on t.state = 'failed'
where f.ended_at >= statement_timestamp() - $1::text::float8 * interval '1 millisecond' and ($2::text is null or f.scope = $2::text)
    and ($3::text is null or f.ending = $3::text) and ($4::text is null or $4::text in (substring(f.error from '^\{"name":("(?:[^"\\]|\\.)*")'), substring(f.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)'), '"' || substring(f.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') || '"'));

-- lines
select f.scope, f.key, f.ending, f.attempt::text as attempt, (date_part('epoch', date_trunc('milliseconds', f.ended_at)) * 1000)::bigint::text as ended_ms, f.error,
  case when t.scope is null then 'gone' else case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end end as phase,
  (extract(epoch from f.ended_at) * 1000000)::bigint::text as ended_us, f.id::text as id
from "handle_once".failures f left join lateral (
      select t.* from "handle_once".records t where t.scope = f.scope and t.key = f.key limit 1
    ) t on true
where f.ended_at >= statement_timestamp() - $1::text::float8 * interval '1 millisecond' and ($2::text is null or f.scope = $2::text)
    and ($3::text is null or f.ending = $3::text) and ($4::text is null or $4::text in (substring(f.error from '^\{"name":("(?:[^"\\]|\\.)*")'), substring(f.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)'), '"' || substring(f.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') || '"')) and ($5::text is null or case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end = $5::text)
  and ($7::text is null
    or (f.ended_at, f.id) < ('epoch'::timestamptz + $7::text::bigint * interval '1 microsecond', $8::text::bigint))
order by f.ended_at desc, f.id desc
limit $6::text::bigint;

-- byKey
with recursive scopes as (
  (select t.scope from "handle_once".records t order by t.scope limit 1)
  union all
  select (select t.scope from "handle_once".records t where t.scope > s.scope order by t.scope limit 1)
  from scopes s
  where s.scope is not null
)
select t.scope, t.key, t.state, case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, (date_part('epoch', date_trunc('milliseconds', t.created_at)) * 1000)::bigint::text as created_ms, (date_part('epoch', date_trunc('milliseconds', t.began_at)) * 1000)::bigint::text as began_ms,
  (date_part('epoch', date_trunc('milliseconds', t.live_until)) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, null as result, null as steps
from scopes s cross join lateral (
  select t.*
  from "handle_once".records t
  where t.scope = s.scope and t.key >= $2::text and t.key < $3::text
    and t.key > case when s.scope = $4::text then $5::text else '' end
  order by t.key
  limit $6::text::bigint
) t
where s.scope is not null and ($1::text is null or s.scope = $1::text) and ($4::text is null or s.scope >= $4::text)
order by t.scope, t.key
limit $6::text::bigint;

-- byPlace
select t.scope, t.key, t.state, case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, (date_part('epoch', date_trunc('milliseconds', t.created_at)) * 1000)::bigint::text as created_ms, (date_part('epoch', date_trunc('milliseconds', t.began_at)) * 1000)::bigint::text as began_ms,
  (date_part('epoch', date_trunc('milliseconds', t.live_until)) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, null as result, null as steps, t.ctid::text as place
from only handle_once.records t
where t.ctid > $1::text::tid and t.ctid < $2::text::tid
  and ($3::text is null or case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end = $3::text)
  and ($4::text is null or (t.state <> 'succeeded' and $4::text in (case when t.failed_reason = 'deaths-exhausted' then '"DeathsExhaustedError"' else substring(t.error from '^\{"name":("(?:[^"\\]|\\.)*")') end, case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end, '"' || case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end || '"')))
  and ($5::text is null or t.scope = $5::text)
limit $6::text::bigint;

-- scopes
with recursive scopes as (
  (select t.scope from "handle_once".records t order by t.scope limit 1)
  union all
  select (select t.scope from "handle_once".records t where t.scope > s.scope order by t.scope limit 1)
  from scopes s
  where s.scope is not null
)
select s.scope from scopes s where s.scope is not null limit 1000;

-- audit
select a.id::text as id, (date_part('epoch', date_trunc('milliseconds', a.begun_at)) * 1000)::bigint::text as begun_ms, (date_part('epoch', date_trunc('milliseconds', a.ended_at)) * 1000)::bigint::text as ended_ms,
  (date_part('epoch', date_trunc('milliseconds', a.seen_at)) * 1000)::bigint::text as seen_ms, a.expected::text as expected, a.done::text as done, a.stop::text as stop, a.person,
  a.action, a.scope, a.key, a.filter, a.outcome
from "handle_once".audit a
where ($2::text is null or a.id < $2::text::bigint)
order by a.id desc
limit $1::text::bigint;

-- begin
insert into "handle_once".audit (person, action, scope, key, filter, expected)
values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text::bigint)
on conflict do nothing
returning id::text as id;

-- progress
update "handle_once".audit set done = $2::text::bigint, seen_at = statement_timestamp()
where id = $1::text::bigint and ended_at is null
returning stop::text as stop;

-- end
update "handle_once".audit
set done = $2::text::bigint, outcome = $3::text, seen_at = statement_timestamp(), ended_at = statement_timestamp()
where id = $1::text::bigint
returning id::text as id;

-- stop
with stopped as (
  update "handle_once".audit set stop = true where id = $1::text::bigint and ended_at is null returning id, scope
)
insert into "handle_once".audit (person, action, scope, filter, expected, done, outcome, ended_at)
select $2::text, 'stop', s.scope, json_build_object('action', s.id)::text, 1, 1, 'finished', statement_timestamp()
from stopped s
returning id::text as id;
