-- explain
select f.attempt::text as attempt, f.ending, (date_part('epoch', date_trunc('milliseconds', f.ended_at)) * 1000)::bigint::text as ended_ms,
  f.took_ms::text as took_ms, f.batch_size::text as batch_size, f.error, f.worker, w.host, w.pid::text as pid, w.version,
  (date_part('epoch', date_trunc('milliseconds', w.started_at)) * 1000)::bigint::text as started_ms
from "handle_once".failures f left join "handle_once".workers w on w.id = f.worker
where f.scope = $1::text and f.key = $2::text
order by f.id desc
limit 100;

-- findWorker
select w.id, w.host, w.pid::text as pid, w.version,
  (date_part('epoch', date_trunc('milliseconds', w.started_at)) * 1000)::bigint::text as started_ms
from "handle_once".workers w
where w.id = $1::text;

-- readStats
select s.scope, (date_part('epoch', date_trunc('milliseconds', s.minute)) * 1000)::bigint::text as minute_ms, s.event, s.count::text as count
from "handle_once".stats s
where s.minute >= statement_timestamp() - $2::text::float8 * interval '1 millisecond'
  and ($1::text is null or s.scope = $1::text)
order by s.minute, s.scope, s.event;

-- forgetStats
delete from "handle_once".stats s
where s.ctid >= $1::text::tid and s.ctid < $2::text::tid and s.minute < statement_timestamp() - $3::text::float8 * interval '1 millisecond';

-- forgetFailures
with kept as materialized (
  select k.scope, k.key, coalesce(
      (select t.created_at from "handle_once".records t where t.scope = k.scope and t.key = k.key), statement_timestamp() - $3::text::float8 * interval '1 millisecond'
    ) as since, coalesce((
      select n.id from "handle_once".failures n where n.scope = k.scope and n.key = k.key
      order by n.id desc offset 99 limit 1
    ), 0) as oldest_id
  from (select distinct f.scope, f.key from "handle_once".failures f where f.ctid >= $1::text::tid and f.ctid < $2::text::tid) k
)
delete from "handle_once".failures f using kept k
where f.ctid >= $1::text::tid and f.ctid < $2::text::tid and f.scope = k.scope and f.key = k.key
  and (f.ended_at < k.since or f.id < k.oldest_id);

-- forgetWorkers
delete from "handle_once".workers w
where w.ctid >= $1::text::tid and w.ctid < $2::text::tid and w.seen_at < statement_timestamp() - $3::text::float8 * interval '1 millisecond';
