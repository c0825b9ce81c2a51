-- One request.
with settled as (
update handle_once.records t set
  state = s.state,
  owned = false,
  attempts = t.attempts - (s.counts < 0)::integer,
  failures = t.failures + (s.counts = 1)::integer,
  deaths = case when s.counts in (1, -2) then 0 else t.deaths end,
  live_until = s.live_until,
  failed_reason = s.failed_reason,
  result = s.result,
  result_omitted = s.result_omitted,
  error = coalesce(s.error, t.error),
  steps = case when s.state <> 'succeeded' then t.steps end
from (select $2::text::text as key, $3::text::uuid as token, $4::text::text as state, $5::text::float8 as live_ms, $6::text::integer as counts, $7::text::text as failed_reason, $8::text::text as result, $9::text::text as result_omitted, $10::text::text as error, statement_timestamp() + $5::text::float8 * interval '1 millisecond' as live_until) as s
where t.scope = $1::text and t.key = s.key and t.token = s.token and t.owned
  and statement_timestamp() - now() >=
    ($11::text::float8 * 0.9 - case when date_trunc('milliseconds', statement_timestamp()) = statement_timestamp()
    and date_trunc('milliseconds', now()) = now() then 1 else 0 end) * interval '1 millisecond'
returning t.key)
select
  sqrt(case when statement_timestamp() - now() >=
    ($11::text::float8 * 0.9 - case when date_trunc('milliseconds', statement_timestamp()) = statement_timestamp()
    and date_trunc('milliseconds', now()) = now() then 1 else 0 end) * interval '1 millisecond' then 1 else -1 end)::text as in_transaction,
  (1 / case when exists (select from settled) then 1 else 0 end)::text as settled;

-- Any number of requests.
with settled as (
update handle_once.records t set
  state = s.state,
  owned = false,
  attempts = t.attempts - (s.counts < 0)::integer,
  failures = t.failures + (s.counts = 1)::integer,
  deaths = case when s.counts in (1, -2) then 0 else t.deaths end,
  live_until = s.live_until,
  failed_reason = s.failed_reason,
  result = s.result,
  result_omitted = s.result_omitted,
  error = coalesce(s.error, t.error),
  steps = case when s.state <> 'succeeded' then t.steps end
from (select *, $1::text as scope, statement_timestamp() + r.live_ms * interval '1 millisecond' as live_until from unnest((select $2::text::text[]), (select $3::text::uuid[]), (select $4::text::text[]), (select $5::text::float8[]), (select $6::text::integer[]), (select $7::text::text[]), (select $8::text::text[]), (select $9::text::text[]), (select $10::text::text[])) as r(key, token, state, live_ms, counts, failed_reason, result, result_omitted, error) limit (select 2147483647)) as s
where t.scope = $1::text collate "POSIX" and t.scope = any(array[s.scope]) and t.key = s.key and t.token = s.token and t.owned
  and statement_timestamp() - now() >=
    ($11::text::float8 * 0.9 - case when date_trunc('milliseconds', statement_timestamp()) = statement_timestamp()
    and date_trunc('milliseconds', now()) = now() then 1 else 0 end) * interval '1 millisecond'
returning t.key)
select
  sqrt(case when statement_timestamp() - now() >=
    ($11::text::float8 * 0.9 - case when date_trunc('milliseconds', statement_timestamp()) = statement_timestamp()
    and date_trunc('milliseconds', now()) = now() then 1 else 0 end) * interval '1 millisecond' then 1 else -1 end)::text as in_transaction,
  (1 / case when (select count(*) from settled) = cardinality($2::text::text[]) then 1 else 0 end)::text as settled;
