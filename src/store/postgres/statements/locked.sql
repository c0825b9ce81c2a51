select coalesce(max(attempts), 1)::text as attempts
from handle_once.records
where scope = $1::text and key = $2::text;
