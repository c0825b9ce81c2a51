-- One request.
with claims as materialized (
  select a.key, a.token as claim_token, decode(a.fingerprint, 'hex') as claim_fingerprint,
    r.live, r.owned as was_owned, r.owned, r.state, r.token, r.fingerprint, r.attempts, r.failures, r.created_at,
    r.live_until, r.result, r.result_omitted, r.failed_reason, r.error, r.steps
  from (select $2::text::text as key, $3::text::uuid as token, $4::text::text as fingerprint) as a
  left join lateral (
    select t.*, t.live_until > statement_timestamp() as live
    from handle_once.records t
    where t.scope = $1::text and t.key = a.key
    limit 1
  ) r on true
), taken as (
  insert into handle_once.records as t
    (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
  select $1::text, a.key, a.claim_token, a.claim_fingerprint, 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp(), statement_timestamp()
  from claims a
  where a.live is not true and (select set_config('lock_timeout', '250', true)) is not null
  on conflict (scope, key) do update set
    state = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.state when (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then 'failed' else 'pending' end,
    owned = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.owned else not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) end,
    token = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.token else excluded.token end,
    attempts = case
      when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then t.attempts
      when t.state = 'pending' then t.attempts + 1
      else 1
    end,
    fingerprint = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or (t.state = 'pending' and t.fingerprint = '') then t.fingerprint else excluded.fingerprint end,
    live_until = case
      when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.live_until
      when (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then to_timestamp(date_part('epoch', excluded.created_at - to_timestamp(0)) + $7::text::float8 / 1000)
      else excluded.live_until
    end,
    failures = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or t.state = 'pending' then t.failures else 0 end,
    deaths = case
      when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.deaths
      when t.state = 'pending' then (t.deaths + t.owned::integer)
      else 0
    end,
    began_at = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then t.began_at else excluded.began_at end,
    created_at = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or t.state = 'pending' then t.created_at else excluded.created_at end,
    failed_reason = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.failed_reason when (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then
      case when t.failures >= $6::text::integer then 'attempts-exhausted' else 'deaths-exhausted' end
    end,
    result = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.result end,
    result_omitted = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.result_omitted end,
    error = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or t.state = 'pending' then t.error end,
    steps = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or t.state = 'pending' then t.steps end
  returning t.key, t.state, t.owned, t.token, t.fingerprint, t.attempts, t.failures, t.created_at,
    t.live_until, t.result, t.result_omitted, t.failed_reason, t.error, t.steps
)
select t.key, case
      when (t.fingerprint <> a.claim_fingerprint and substr(t.fingerprint, 1, 1) = substr(a.claim_fingerprint, 1, 1)) then 'mismatch'
      when t.state = 'succeeded' then 'succeeded'
      when t.state = 'failed' then case when t.token = a.claim_token then 'exhausted' else 'failed' end
      when t.live_until <= statement_timestamp() then 'suspect'
      when not t.owned then 'released'
      when t.token <> a.claim_token then 'in-flight'
      else 'claimed'
    end as kind, t.attempts::text as attempts,
    case t.state
      when 'pending' then case
        when (t.owned and t.token = a.claim_token) then concat_ws(' ', t.failures, ceil(date_part('epoch', statement_timestamp() - t.created_at) * 1000)::bigint, case when a.was_owned and (t.attempts > 1 or t.state = 'failed') then a.token::text end)
        else ceil(date_part('epoch', t.live_until - statement_timestamp()) * 1000)::bigint::text
      end
      when 'succeeded' then t.result_omitted
      else concat_ws(' ', t.failed_reason, case when a.was_owned and (t.attempts > 1 or t.state = 'failed') then a.token::text end)
    end as detail,
    case
      when t.state = 'succeeded' then t.result
      when t.state = 'pending' and (t.owned and t.token = a.claim_token) then t.steps
      else t.error
    end as content from taken t join claims a on a.key = t.key
union all
select a.key, case
      when (a.fingerprint <> a.claim_fingerprint and substr(a.fingerprint, 1, 1) = substr(a.claim_fingerprint, 1, 1)) then 'mismatch'
      when a.state = 'succeeded' then 'succeeded'
      when a.state = 'failed' then case when a.token = a.claim_token then 'exhausted' else 'failed' end
      when a.live_until <= statement_timestamp() then 'suspect'
      when not a.owned then 'released'
      when a.token <> a.claim_token then 'in-flight'
      else 'claimed'
    end as kind, a.attempts::text as attempts,
    case a.state
      when 'pending' then case
        when (a.owned and a.token = a.claim_token) then concat_ws(' ', a.failures, ceil(date_part('epoch', statement_timestamp() - a.created_at) * 1000)::bigint, null)
        else ceil(date_part('epoch', a.live_until - statement_timestamp()) * 1000)::bigint::text
      end
      when 'succeeded' then a.result_omitted
      else a.failed_reason
    end as detail,
    case
      when a.state = 'succeeded' then a.result
      when a.state = 'pending' and (a.owned and a.token = a.claim_token) then a.steps
      else a.error
    end as content from claims a where a.live;

-- Any number of requests.
with claims as materialized (
  select a.key, a.token as claim_token, decode(a.fingerprint, 'hex') as claim_fingerprint,
    r.live, r.owned as was_owned, r.owned, r.state, r.token, r.fingerprint, r.attempts, r.failures, r.created_at,
    r.live_until, r.result, r.result_omitted, r.failed_reason, r.error, r.steps
  from unnest((select $2::text::text[]), (select $3::text::uuid[]), (select $4::text::text[])) as a(key, token, fingerprint)
  left join lateral (
    select t.*, t.live_until > statement_timestamp() as live
    from handle_once.records t
    where t.scope = $1::text and t.key = a.key
    limit 1
  ) r on true
), taken as (
  insert into handle_once.records as t
    (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
  select $1::text, a.key, a.claim_token, a.claim_fingerprint, 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp(), statement_timestamp()
  from claims a
  where a.live is not true and (select set_config('lock_timeout', '250', true)) is not null
  on conflict (scope, key) do update set
    state = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.state when (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then 'failed' else 'pending' end,
    owned = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.owned else not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) end,
    token = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.token else excluded.token end,
    attempts = case
      when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then t.attempts
      when t.state = 'pending' then t.attempts + 1
      else 1
    end,
    fingerprint = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or (t.state = 'pending' and t.fingerprint = '') then t.fingerprint else excluded.fingerprint end,
    live_until = case
      when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.live_until
      when (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then to_timestamp(date_part('epoch', excluded.created_at - to_timestamp(0)) + $7::text::float8 / 1000)
      else excluded.live_until
    end,
    failures = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or t.state = 'pending' then t.failures else 0 end,
    deaths = case
      when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.deaths
      when t.state = 'pending' then (t.deaths + t.owned::integer)
      else 0
    end,
    began_at = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then t.began_at else excluded.began_at end,
    created_at = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or t.state = 'pending' then t.created_at else excluded.created_at end,
    failed_reason = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.failed_reason when (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))) then
      case when t.failures >= $6::text::integer then 'attempts-exhausted' else 'deaths-exhausted' end
    end,
    result = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.result end,
    result_omitted = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) then t.result_omitted end,
    error = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or t.state = 'pending' then t.error end,
    steps = case when (t.live_until > excluded.created_at or (t.state = 'pending' and (
      (t.fingerprint <> excluded.fingerprint and substr(t.fingerprint, 1, 1) = substr(excluded.fingerprint, 1, 1))
      or ((t.deaths + t.owned::integer) >= $9::text::integer and not (t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and (t.deaths + t.owned::integer) >= $8::text::integer))))))) or t.state = 'pending' then t.steps end
  returning t.key, t.state, t.owned, t.token, t.fingerprint, t.attempts, t.failures, t.created_at,
    t.live_until, t.result, t.result_omitted, t.failed_reason, t.error, t.steps
)
select t.key, case
      when (t.fingerprint <> a.claim_fingerprint and substr(t.fingerprint, 1, 1) = substr(a.claim_fingerprint, 1, 1)) then 'mismatch'
      when t.state = 'succeeded' then 'succeeded'
      when t.state = 'failed' then case when t.token = a.claim_token then 'exhausted' else 'failed' end
      when t.live_until <= statement_timestamp() then 'suspect'
      when not t.owned then 'released'
      when t.token <> a.claim_token then 'in-flight'
      else 'claimed'
    end as kind, t.attempts::text as attempts,
    case t.state
      when 'pending' then case
        when (t.owned and t.token = a.claim_token) then concat_ws(' ', t.failures, ceil(date_part('epoch', statement_timestamp() - t.created_at) * 1000)::bigint, case when a.was_owned and (t.attempts > 1 or t.state = 'failed') then a.token::text end)
        else ceil(date_part('epoch', t.live_until - statement_timestamp()) * 1000)::bigint::text
      end
      when 'succeeded' then t.result_omitted
      else concat_ws(' ', t.failed_reason, case when a.was_owned and (t.attempts > 1 or t.state = 'failed') then a.token::text end)
    end as detail,
    case
      when t.state = 'succeeded' then t.result
      when t.state = 'pending' and (t.owned and t.token = a.claim_token) then t.steps
      else t.error
    end as content from taken t join claims a on a.key = t.key
union all
select a.key, case
      when (a.fingerprint <> a.claim_fingerprint and substr(a.fingerprint, 1, 1) = substr(a.claim_fingerprint, 1, 1)) then 'mismatch'
      when a.state = 'succeeded' then 'succeeded'
      when a.state = 'failed' then case when a.token = a.claim_token then 'exhausted' else 'failed' end
      when a.live_until <= statement_timestamp() then 'suspect'
      when not a.owned then 'released'
      when a.token <> a.claim_token then 'in-flight'
      else 'claimed'
    end as kind, a.attempts::text as attempts,
    case a.state
      when 'pending' then case
        when (a.owned and a.token = a.claim_token) then concat_ws(' ', a.failures, ceil(date_part('epoch', statement_timestamp() - a.created_at) * 1000)::bigint, null)
        else ceil(date_part('epoch', a.live_until - statement_timestamp()) * 1000)::bigint::text
      end
      when 'succeeded' then a.result_omitted
      else a.failed_reason
    end as detail,
    case
      when a.state = 'succeeded' then a.result
      when a.state = 'pending' and (a.owned and a.token = a.claim_token) then a.steps
      else a.error
    end as content from claims a where a.live;
