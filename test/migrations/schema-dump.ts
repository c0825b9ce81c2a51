import type postgres from 'postgres';

/** Everything that the migrations decide about a schema, as text that reads the same on every version of Postgres. */
export async function schemaDump(sql: postgres.Sql, schema: string): Promise<string> {
  const lines = await sql<{ line: string }[]>`
    with tables as (
      select c.* from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = ${schema}
    ), dump (relation, section, position, line) as (
      select relname, 1, 0, concat_ws(' ', case relkind
          when 'r' then 'table' when 'i' then 'index' when 'S' then 'sequence' when 'v' then 'view' else relkind::text
        end, relname, relpersistence::text, reloptions::text)
      from tables
      union all
      select relname, 2, attnum, concat_ws(' ', '  column', attname, format_type(atttypid, atttypmod),
        case when attcollation <> 0 then 'collate ' || (select collname from pg_collation where oid = attcollation) end,
        case when attnotnull then 'not null' end,
        'storage ' || attstorage::text,
        'default ' || pg_get_expr(adbin, adrelid))
      from tables join pg_attribute a on attrelid = tables.oid and attnum > 0 and not attisdropped
        left join pg_attrdef d on adrelid = attrelid and adnum = attnum
      where relkind = 'r'
      union all
      select relname, 3, 0, concat_ws(' ', '  constraint', conname, pg_get_constraintdef(o.oid))
      from tables join pg_constraint o on conrelid = tables.oid
      -- Since version 18 a column's "not null" is a constraint too.
      where contype <> 'n'
      union all
      select t.relname, 4, 0, '  ' || replace(pg_get_indexdef(indexrelid), ${schema} || '.', '')
      from tables t join pg_index on indrelid = t.oid
      union all
      select relname, 5, 0, '  trigger ' || tgname from tables join pg_trigger on tgrelid = tables.oid where not tgisinternal
      union all
      select proname, 6, 0, 'function ' || proname from pg_proc join pg_namespace n on n.oid = pronamespace
      where nspname = ${schema}
    )
    select line from dump order by relation collate "C", section, position, line collate "C"`;
  return `${lines.map(({ line }) => line).join('\n')}\n`;
}
