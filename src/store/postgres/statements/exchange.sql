with asked as materialized (
  select a.key, a.token as asked_token, decode(a.fingerprint, 'hex') as asked_fingerprint,
    r.live, r.owned as was_owned, r.owned, r.state, r.token, r.fingerprint, r.attempts, r.failures, r.live_until,
    r.result, r.result_omitted, r.failed_reason, r.error
  from unnest((select $2::text::text[]), (select $3::text::uuid[]), (select $4::text::text[])) as a(key, token, fingerprint)
  left join lateral (
    select t.*, t.live_until > statement_timestamp() as live
    from handle_once.records t
    where t.scope = $1::text and t.key = a.key
    limit 1
  ) r on true
), made as (
  insert into handle_once.records as t
    (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
  select $1::text, a.key, a.asked_token, a.asked_fingerprint, 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp(), statement_timestamp()
  from asked a
  where a.live is null and (select set_config('lock_timeout', '250', true)) is not null
  on conflict (scope, key) do nothing
  returning t.key
), settled as (
update handle_once.records t set
  state = s.state,
  owned = false,
  attempts = t.attempts + least(s.counts, 0),
  failures = t.failures + greatest(s.counts, 0),
  deaths = case when s.counts = 1 then 0 else t.deaths end,
  live_until = s.live_until,
  failed_reason = s.failed_reason,
  result = s.result,
  result_omitted = s.result_omitted,
  error = coalesce(s.error, t.error)
from (select *, $1::text as scope, statement_timestamp() + r.live_ms * interval '1 millisecond' as live_until from unnest((select $6::text::text[]), (select $7::text::uuid[]), (select $8::text::text[]), (select $9::text::float8[]), (select $10::text::integer[]), (select $11::text::text[]), (select $12::text::text[]), (select $13::text::text[]), (select $14::text::text[])) as r(key, token, state, live_ms, counts, failed_reason, result, result_omitted, error) limit (select 2147483647 - count(*) from made)) as s
where t.scope = $1::text collate "POSIX" and t.scope = any(array[s.scope]) and t.key = s.key and t.token = s.token and t.owned
  returning t.key
)
select key, 'claimed' as kind, '1' as attempts, '0' as detail, null as content from made
union all
select a.key, case
      when (a.fingerprint <> a.asked_fingerprint and substr(a.fingerprint, 1, 1) = substr(a.asked_fingerprint, 1, 1)) then 'mismatch'
      when a.state = 'succeeded' then 'succeeded'
      when a.state = 'failed' then case when a.token = a.asked_token then 'exhausted' else 'failed' end
      when a.live_until <= statement_timestamp() then 'suspect'
      when not a.owned then 'released'
      when a.token <> a.asked_token then 'in-flight'
      else 'claimed'
    end as kind, a.attempts::text as attempts,
    case a.state
      when 'pending' then case
        when (a.owned and a.token = a.asked_token) then concat_ws(' ', a.failures, null)
        else ceil(date_part('epoch', a.live_until - statement_timestamp()) * 1000)::bigint::text
      end
      when 'succeeded' then a.result_omitted
      else a.failed_reason
    end as detail,
    case a.state when 'succeeded' then a.result else a.error end as content from asked a where a.live
union all
select key, 'settled', null, null, null from settled;
