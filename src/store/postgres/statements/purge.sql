-- Without an archive.
with expired as materialized (
  select t.ctid as place from only handle_once.records t
  where t.ctid >= $1::text::tid and t.ctid < $2::text::tid and (t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))
  for update skip locked
), purged as (
  delete from only handle_once.records t
  where t.ctid = any(array(select place from expired))
  returning live_until, created_at, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error
), remaining as (
  select t.scope, t.state, t.created_at, (t.state = 'pending' and t.live_until <= statement_timestamp() - $3::text::float8 * interval '1 millisecond') as abandoned from only handle_once.records t
  where t.ctid >= $1::text::tid and t.ctid < $2::text::tid and not (t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))
)
select scope, state, count(*)::text as records, count(*) filter (where abandoned)::text as abandoned,
  ceil(date_part('epoch', min(created_at)) * 1000)::bigint::text as oldest_ms, '0' as purged
from remaining
group by scope, state
union all
select scope, state, '0', '0', null, count(*)::text
from purged
group by scope, state;

-- With one.
with expired as materialized (
  select t.ctid as place from only handle_once.records t
  where t.ctid >= $1::text::tid and t.ctid < $2::text::tid and (t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))
  for update skip locked
), purged as (
  delete from only handle_once.records t
  where t.ctid = any(array(select place from expired))
  returning live_until, created_at, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error
), archived as (
  insert into handle_once.archive (purged_at, live_until, created_at, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error)
  select statement_timestamp(), live_until, created_at, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error from purged
), remaining as (
  select t.scope, t.state, t.created_at, (t.state = 'pending' and t.live_until <= statement_timestamp() - $3::text::float8 * interval '1 millisecond') as abandoned from only handle_once.records t
  where t.ctid >= $1::text::tid and t.ctid < $2::text::tid and not (t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))
)
select scope, state, count(*)::text as records, count(*) filter (where abandoned)::text as abandoned,
  ceil(date_part('epoch', min(created_at)) * 1000)::bigint::text as oldest_ms, '0' as purged
from remaining
group by scope, state
union all
select scope, state, '0', '0', null, count(*)::text
from purged
group by scope, state;
