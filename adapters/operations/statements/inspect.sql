-- show
select t.scope, t.key, t.state, case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, (date_part('epoch', date_trunc('milliseconds', t.created_at)) * 1000)::bigint::text as created_ms, (date_part('epoch', date_trunc('milliseconds', t.began_at)) * 1000)::bigint::text as began_ms,
  (date_part('epoch', date_trunc('milliseconds', t.live_until)) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, case when $3::text::boolean then t.result end as result, t.steps
from "handle_once".records t
where t.scope = $1::text and t.key = $2::text;

-- newest
select t.scope, t.key, t.state, case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, (date_part('epoch', date_trunc('milliseconds', t.created_at)) * 1000)::bigint::text as created_ms, (date_part('epoch', date_trunc('milliseconds', t.began_at)) * 1000)::bigint::text as began_ms,
  (date_part('epoch', date_trunc('milliseconds', t.live_until)) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, null as result, null as steps,
  (extract(epoch from t.created_at) * 1000000)::bigint::text as created_us
from (
  select *
  from "handle_once".records t
  where t.created_at >= 'epoch'::timestamptz + $5::text::float8 * interval '1 millisecond'
    and ($6::text is null or t.created_at < 'epoch'::timestamptz + $6::text::float8 * interval '1 millisecond')
    and ($1::text is null or t.scope = $1::text) and ($2::text is null or t.state = $2::text)
    and ($3::text is null or case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end = $3::text)
    and ($4::text is null or (t.state <> 'succeeded' and $4::text in (case when t.failed_reason = 'deaths-exhausted' then '"DeathsExhaustedError"' else substring(t.error from '^\{"name":("(?:[^"\\]|\\.)*")') end, case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end, '"' || case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end || '"')))
    and t.created_at <= coalesce('epoch'::timestamptz + $8::text::bigint * interval '1 microsecond', 'infinity')
    and (t.created_at, t.scope, t.key) < (coalesce('epoch'::timestamptz + $8::text::bigint * interval '1 microsecond', 'infinity'), coalesce($9::text, ''), coalesce($10::text, ''))
  order by t.created_at desc, t.scope desc, t.key desc
  limit $7::text::bigint
) t
order by t.created_at desc, t.scope desc, t.key desc;

-- oldest
select t.scope, t.key, t.state, case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, (date_part('epoch', date_trunc('milliseconds', t.created_at)) * 1000)::bigint::text as created_ms, (date_part('epoch', date_trunc('milliseconds', t.began_at)) * 1000)::bigint::text as began_ms,
  (date_part('epoch', date_trunc('milliseconds', t.live_until)) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, null as result, null as steps,
  (extract(epoch from t.created_at) * 1000000)::bigint::text as created_us
from (
  select *
  from "handle_once".records t
  where t.created_at >= 'epoch'::timestamptz + $5::text::float8 * interval '1 millisecond'
    and ($6::text is null or t.created_at < 'epoch'::timestamptz + $6::text::float8 * interval '1 millisecond')
    and ($1::text is null or t.scope = $1::text) and ($2::text is null or t.state = $2::text)
    and ($3::text is null or case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end = $3::text)
    and ($4::text is null or (t.state <> 'succeeded' and $4::text in (case when t.failed_reason = 'deaths-exhausted' then '"DeathsExhaustedError"' else substring(t.error from '^\{"name":("(?:[^"\\]|\\.)*")') end, case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end, '"' || case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end || '"')))
    and t.created_at >= coalesce('epoch'::timestamptz + $8::text::bigint * interval '1 microsecond', '-infinity')
    and (t.created_at, t.scope, t.key) > (coalesce('epoch'::timestamptz + $8::text::bigint * interval '1 microsecond', '-infinity'), coalesce($9::text, ''), coalesce($10::text, ''))
  order by t.created_at asc, t.scope asc, t.key asc
  limit $7::text::bigint
) t
order by t.created_at asc, t.scope asc, t.key asc;

-- count
select t.scope, t.error_name, t.error_code, count(*)::text as records,
  (date_part('epoch', date_trunc('milliseconds', min(t.created_at))) * 1000)::bigint::text as oldest_ms, (date_part('epoch', date_trunc('milliseconds', max(t.created_at))) * 1000)::bigint::text as newest_ms
from (
  select t.scope, t.created_at, case when t.state <> 'succeeded' then case when t.failed_reason = 'deaths-exhausted' then '"DeathsExhaustedError"' else substring(t.error from '^\{"name":("(?:[^"\\]|\\.)*")') end end as error_name,
    case when t.state <> 'succeeded' then case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end end as error_code
  from "handle_once".records t
  where t.created_at >= 'epoch'::timestamptz + $5::text::float8 * interval '1 millisecond'
    and ($6::text is null or t.created_at < 'epoch'::timestamptz + $6::text::float8 * interval '1 millisecond')
    and ($1::text is null or t.scope = $1::text) and ($2::text is null or t.state = $2::text)
    and ($3::text is null or case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end = $3::text)
    and ($4::text is null or (t.state <> 'succeeded' and $4::text in (case when t.failed_reason = 'deaths-exhausted' then '"DeathsExhaustedError"' else substring(t.error from '^\{"name":("(?:[^"\\]|\\.)*")') end, case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end, '"' || case when t.failed_reason = 'deaths-exhausted' then null else substring(t.error from '^\{"name":"(?:[^"\\]|\\.)*","message":"(?:[^"\\]|\\.)*","code":("(?:[^"\\]|\\.)*"|[^,}]+)') end || '"')))
) t
group by t.scope, t.error_name, t.error_code
order by count(*) desc, t.scope, t.error_name, t.error_code;

-- find
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
  (date_part('epoch', date_trunc('milliseconds', t.live_until)) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, case when $2::text::boolean then t.result end as result, t.steps
from scopes s
cross join lateral (select t.* from "handle_once".records t where t.scope = s.scope and t.key = $1::text limit 1) t
where s.scope is not null
order by t.scope;

-- retry
update "handle_once".records t
set state = 'pending', owned = false, failures = 0, deaths = 0, failed_reason = null,
  token = case when t.failed_reason = 'deaths-exhausted' then '00000000-0000-0000-0000-000000000000' else t.token end,
  live_until = statement_timestamp()
where t.scope = $1::text and t.key = $2::text and t.state = 'failed' and t.live_until > statement_timestamp()
returning t.key;

-- forget
with forgotten as (
  delete from "handle_once".records t
  where t.scope = $1::text and t.key = $2::text
  returning t.state, t.owned, t.live_until
), lines as (
  delete from "handle_once".failures f where f.scope = $1::text and f.key = $2::text
)
select case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end as phase from forgotten t;

-- setSteps
update "handle_once".records t
set steps = $4::text,
  token = case when t.owned then (left(t.token::text, 8) || substr(gen_random_uuid()::text, 9))::uuid else t.token end
where t.scope = $1::text and t.key = $2::text and t.steps = $3::text and not (t.owned and t.live_until > statement_timestamp())
returning t.key;

-- hasScope
select exists (select from "handle_once".records t where t.scope = $1::text)::text as has_scope;
