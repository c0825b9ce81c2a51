-- One request.
update handle_once.records t set
  steps = case when octet_length(t.steps) > octet_length(k.steps) then t.steps else k.steps end
from (select $2::text::text as key, $3::text::uuid as token, $4::text::text as steps) as k
where t.scope = $1::text and t.key = k.key and t.token = k.token and t.owned and (select set_config('lock_timeout', '250', true)) is not null
returning t.key;

-- Any number of requests.
update handle_once.records t set
  steps = case when octet_length(t.steps) > octet_length(k.steps) then t.steps else k.steps end
from (select *, $1::text as scope from unnest((select $2::text::text[]), (select $3::text::uuid[]), (select $4::text::text[])) as r(key, token, steps) limit (select 2147483647)) as k
where t.scope = $1::text collate "POSIX" and t.scope = any(array[k.scope]) and t.key = k.key and t.token = k.token and t.owned and (select set_config('lock_timeout', '250', true)) is not null
returning t.key;
