/**
 * The tables that hold records, as oids: `records` of the schema $1, or its partitions. From the catalogue, which every
 * role may read.
 */
export const LEAVES = `
  select t.oid
  from pg_catalog.pg_class t join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  where n.nspname = $1::text and t.relname = 'records' and t.relkind = 'r'
  union all
  select p.relid
  from pg_catalog.pg_class t join pg_catalog.pg_namespace n on n.oid = t.relnamespace
    cross join lateral pg_partition_tree(t.oid::regclass) p
  where n.nspname = $1::text and t.relname = 'records' and t.relkind = 'p' and p.isleaf`;

/** Parameter: $1 the table. Its partitions without partitions of their own, or itself, and how many pages they have. */
export function leavesStatement(): string {
  return `
select format('%I.%I', n.nspname, c.relname) as leaf,
  ceil(pg_relation_size(c.oid) / current_setting('block_size')::float8)::bigint::text as pages
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and (c.oid = $1::text::regclass
  or c.oid in (select relid from pg_partition_tree($1::text::regclass) where isleaf))
order by format('%I.%I', n.nspname, c.relname) collate "C"`;
}
