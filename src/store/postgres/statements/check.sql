select (coalesce(max(version), 0) + (select count(*) from "handle_once".records where false))::text as version,
  current_setting($1::text) as read_only,
  (select string_agg(r, ', ') from unnest(array['insert', 'update']) as r
    where not has_table_privilege('"handle_once".records', r)) as lacked
from "handle_once".migrations;
