-- show
select t.scope, t.key, t.state, case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, (date_part('epoch', t.created_at) * 1000)::bigint::text as created_ms, (date_part('epoch', t.began_at) * 1000)::bigint::text as began_ms,
  (date_part('epoch', t.live_until) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, case when $3::text::boolean then t.result end as result
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
  t.deaths::text as deaths, (date_part('epoch', t.created_at) * 1000)::bigint::text as created_ms, (date_part('epoch', t.began_at) * 1000)::bigint::text as began_ms,
  (date_part('epoch', t.live_until) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, null as result
from (
  select *
  from "handle_once".records t
  where t.created_at >= statement_timestamp() - $4::text::float8 * interval '1 millisecond'
    and ($1::text is null or t.scope = $1::text) and ($2::text is null or t.state = $2::text)
    and ($3::text is null or case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end = $3::text)
  order by t.created_at desc
  limit $5::text::bigint
) t
order by t.created_at desc;

-- oldest
select t.scope, t.key, t.state, case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end as phase, t.attempts::text as attempts, t.failures::text as failures,
  t.deaths::text as deaths, (date_part('epoch', t.created_at) * 1000)::bigint::text as created_ms, (date_part('epoch', t.began_at) * 1000)::bigint::text as began_ms,
  (date_part('epoch', t.live_until) * 1000)::bigint::text as live_until_ms, t.token::text as token, t.failed_reason, t.result_omitted, t.error, null as result
from (
  select *
  from "handle_once".records t
  where t.created_at >= statement_timestamp() - $4::text::float8 * interval '1 millisecond'
    and ($1::text is null or t.scope = $1::text) and ($2::text is null or t.state = $2::text)
    and ($3::text is null or case
    when t.state = 'pending' then case
      when t.live_until > statement_timestamp() then case when t.owned then 'running' else 'backing-off' end
      else case when t.owned then 'lapsed' else 'waiting' end
    end
    when t.live_until > statement_timestamp() then t.state
    else 'expired'
  end = $3::text)
  order by t.created_at asc
  limit $5::text::bigint
) t
order by t.created_at asc;

-- reopen
update "handle_once".records t
set state = 'pending', owned = false, failures = 0, deaths = 0, failed_reason = null,
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

-- hasScope
select exists (select from "handle_once".records t where t.scope = $1::text)::text as has_scope;
