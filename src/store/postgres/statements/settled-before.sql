-- One request.
select s.key, r.state
from (select $2::text::text as key, $3::text::uuid as token) as s
cross join lateral (
  select t.state from handle_once.records t
  where t.scope = $1::text and t.key = s.key and t.token = s.token and not t.owned
  limit 1
) r;

-- Any number of requests.
select s.key, r.state
from unnest((select $2::text::text[]), (select $3::text::uuid[])) as s(key, token)
cross join lateral (
  select t.state from handle_once.records t
  where t.scope = $1::text and t.key = s.key and t.token = s.token and not t.owned
  limit 1
) r;
