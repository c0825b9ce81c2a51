-- One request.
with found as materialized (
  select t.*, t.live_until > statement_timestamp() as live
  from handle_once.records t
  where t.scope = $1::text and t.key = $2::text
), made as (
  insert into handle_once.records as t
    (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
  select $1::text, $2::text, $3::text::uuid, decode($4::text, 'hex'), 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp(), statement_timestamp()
  where not exists (select from found)
  on conflict (scope, key) do nothing
  returning t.key
)
select key, 'claimed' as kind, '1' as attempts, '0 0' as detail, null as content from made
union all
select found.key, case
      when (found.fingerprint <> decode($4::text, 'hex') and substr(found.fingerprint, 1, 1) = substr(decode($4::text, 'hex'), 1, 1)) then 'mismatch'
      when found.state = 'succeeded' then 'succeeded'
      when found.state = 'failed' then case when found.token = $3::text::uuid then 'exhausted' else 'failed' end
      when found.live_until <= statement_timestamp() then 'suspect'
      when not found.owned then 'released'
      when found.token <> $3::text::uuid then 'in-flight'
      else 'claimed'
    end as kind, found.attempts::text as attempts,
    case found.state
      when 'pending' then case
        when (found.owned and found.token = $3::text::uuid) then concat_ws(' ', found.failures, ceil(date_part('epoch', statement_timestamp() - found.created_at) * 1000)::bigint, null)
        else ceil(date_part('epoch', found.live_until - statement_timestamp()) * 1000)::bigint::text
      end
      when 'succeeded' then found.result_omitted
      else found.failed_reason
    end as detail,
    case
      when found.state = 'succeeded' then found.result
      when found.state = 'pending' and (found.owned and found.token = $3::text::uuid) then found.steps
      else found.error
    end as content from found where live;

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
), made as (
  insert into handle_once.records as t
    (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
  select $1::text, a.key, a.claim_token, a.claim_fingerprint, 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp(), statement_timestamp()
  from claims a
  where a.live is null
  on conflict (scope, key) do nothing
  returning t.key
)
select key, 'claimed' as kind, '1' as attempts, '0 0' as detail, null as content from made
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
