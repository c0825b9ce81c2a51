select (coalesce(max(version), 0) + (select count(*) from "handle_once".records where false))::text as version,
  current_setting($1::text) as read_only
from "handle_once".migrations;
