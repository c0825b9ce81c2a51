-- explain
select f.attempt::text as attempt, f.ending, (date_part('epoch', f.ended_at) * 1000)::bigint::text as ended_ms,
  f.took_ms::text as took_ms, f.error, f.worker, w.host, w.pid::text as pid, w.version,
  (date_part('epoch', w.started_at) * 1000)::bigint::text as started_ms
from "handle_once".failures f left join "handle_once".workers w on w.id = f.worker
where f.scope = $1::text and f.key = $2::text
order by f.id;

-- findWorker
select w.id, w.host, w.pid::text as pid, w.version,
  (date_part('epoch', w.started_at) * 1000)::bigint::text as started_ms
from "handle_once".workers w
where w.id = $1::text;

-- readStats
select s.scope, (date_part('epoch', s.minute) * 1000)::bigint::text as minute_ms, s.event, s.count::text as count
from "handle_once".stats s
where s.minute >= statement_timestamp() - $2::text::float8 * interval '1 millisecond'
  and ($1::text is null or s.scope = $1::text)
order by s.minute, s.scope, s.event;

-- forgetStats
delete from "handle_once".stats s
where s.ctid >= $1::text::tid and s.ctid < $2::text::tid and s.minute < statement_timestamp() - $3::text::float8 * interval '1 millisecond';

-- forgetFailures
delete from "handle_once".failures f
where f.ctid >= $1::text::tid and f.ctid < $2::text::tid and f.ended_at < coalesce(
  (select t.created_at from "handle_once".records t where t.scope = f.scope and t.key = f.key), statement_timestamp() - $3::text::float8 * interval '1 millisecond');

-- forgetWorkers
delete from "handle_once".workers w
where w.ctid >= $1::text::tid and w.ctid < $2::text::tid and w.seen_at < statement_timestamp() - $3::text::float8 * interval '1 millisecond';
