-- Without an archive.
with expired as materialized (
  select t.ctid as place from only handle_once.records t
  where t.ctid >= $1::text::tid and t.ctid < $2::text::tid and (t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))
    and exists (select from handle_once.maintenance m where m.runner = $5::text::uuid)
  for update of t skip locked
), purged as (
  delete from only handle_once.records t
  where t.ctid = any(array(select place from expired))
  returning live_until, created_at, began_at, token, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error, steps
), forgotten as (
  delete from handle_once.failures
  where ctid = any(array(
    select line.place from purged p
    cross join lateral (
      select f.ctid as place from handle_once.failures f where f.scope = p.scope and f.key = p.key limit 100
    ) line))
), counted as (
  update handle_once.maintenance set purged = purged + (select count(*) from purged)
  where runner = $5::text::uuid and exists (select from purged)
), remaining as (
  select t.scope, t.state, t.created_at, (t.state = 'pending' and t.live_until <= statement_timestamp() - $3::text::float8 * interval '1 millisecond') as abandoned from only handle_once.records t
  where t.ctid >= $1::text::tid and t.ctid < $2::text::tid and not (t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))
)
select null as scope, null as state, count(*)::text as records, null as abandoned, null as oldest_ms
from purged
union all
select scope, state, count(*)::text as records, count(*) filter (where abandoned)::text as abandoned,
  ceil(date_part('epoch', min(created_at)) * 1000)::bigint::text as oldest_ms
from remaining
group by scope, state;

-- With one.
with expired as materialized (
  select t.ctid as place from only handle_once.records t
  where t.ctid >= $1::text::tid and t.ctid < $2::text::tid and (t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))
    and exists (select from handle_once.maintenance m where m.runner = $5::text::uuid)
  for update of t skip locked
), purged as (
  delete from only handle_once.records t
  where t.ctid = any(array(select place from expired))
  returning live_until, created_at, began_at, token, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error, steps
), archived as (
  insert into handle_once.archive (purged_at, live_until, created_at, began_at, token, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error, steps)
  select statement_timestamp(), live_until, created_at, began_at, token, attempts, failures, deaths, state, scope, key, fingerprint,
    failed_reason, result_omitted, result, error, steps from purged
), forgotten as (
  delete from handle_once.failures
  where ctid = any(array(
    select line.place from purged p
    cross join lateral (
      select f.ctid as place from handle_once.failures f where f.scope = p.scope and f.key = p.key limit 100
    ) line))
), counted as (
  update handle_once.maintenance set purged = purged + (select count(*) from purged)
  where runner = $5::text::uuid and exists (select from purged)
), remaining as (
  select t.scope, t.state, t.created_at, (t.state = 'pending' and t.live_until <= statement_timestamp() - $3::text::float8 * interval '1 millisecond') as abandoned from only handle_once.records t
  where t.ctid >= $1::text::tid and t.ctid < $2::text::tid and not (t.live_until <= statement_timestamp() and (t.state <> 'pending'
    or t.live_until <= statement_timestamp() - $4::text::float8 * interval '1 millisecond'))
)
select null as scope, null as state, count(*)::text as records, null as abandoned, null as oldest_ms
from purged
union all
select scope, state, count(*)::text as records, count(*) filter (where abandoned)::text as abandoned,
  ceil(date_part('epoch', min(created_at)) * 1000)::bigint::text as oldest_ms
from remaining
group by scope, state;
