-- One request.
update handle_once.records t set
  live_until = greatest(t.live_until, statement_timestamp() + $4::text::float8 * interval '1 millisecond')
from (select $2::text::text as key, $3::text::uuid as token) as e
where t.scope = $1::text and t.key = e.key and t.token = e.token and t.owned and (select set_config('lock_timeout', '250', true)) is not null
returning t.key;

-- Any number of requests.
update handle_once.records t set
  live_until = greatest(t.live_until, statement_timestamp() + $4::text::float8 * interval '1 millisecond')
from (select *, $1::text as scope from unnest((select $2::text::text[]), (select $3::text::uuid[])) as r(key, token) limit (select 2147483647)) as e
where t.scope = $1::text collate "POSIX" and t.scope = any(array[e.scope]) and t.key = e.key and t.token = e.token and t.owned and (select set_config('lock_timeout', '250', true)) is not null
returning t.key;
