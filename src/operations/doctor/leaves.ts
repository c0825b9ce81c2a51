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

/** The value of a storage option of the table `c`: null where it is not set. */
export function storageOption(name: string): string {
  return `(select o.option_value from pg_options_to_table(c.reloptions) o where o.option_name = '${name}')`;
}

const MOST_NAMED = 3;

/** A table can have hundreds of partitions. */
export function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
