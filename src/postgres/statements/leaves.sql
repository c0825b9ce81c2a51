select format('%I.%I', n.nspname, c.relname) as leaf,
  ceil(pg_relation_size(c.oid) / current_setting('block_size')::float8)::bigint::text as pages
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and (c.oid = $1::text::regclass
  or c.oid in (select relid from pg_partition_tree($1::text::regclass) where isleaf))
order by format('%I.%I', n.nspname, c.relname) collate "C";
