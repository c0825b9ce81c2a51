import type postgres from 'postgres';
import type { KeyForm } from './key-forms.ts';

/**
 * Fills a table with settled records, and leaves it as a table is that has been in use: vacuumed, analyzed, written
 * out.
 *
 * The index is made afterwards: to let it grow by ten million random keys would take most of the run.
 */
export async function fillRecords(
  sql: postgres.Sql,
  schema: string,
  form: KeyForm,
  records: number,
): Promise<void> {
  const table = `${schema}.records`;
  if (records > 0) {
    await sql.unsafe(`alter table ${table} drop constraint records_pkey`);
    await sql.unsafe(
      `insert into ${table} (live_until, created_at, token, attempts, owned, state, scope, key, fingerprint, result)
      select now() + interval '7 days', now(), gen_random_uuid(), 1, false, 'succeeded', 'bench', ${form.filled},
        sha256(n::text::bytea), '{"ok":true}'
      from generate_series(1::bigint, $1::bigint) as n`,
      [records],
    );
    await sql.unsafe(
      `alter table ${table} add constraint records_pkey primary key (scope, key) with (fillfactor = ${form.fillfactor})`,
    );
    for (const index of await indexesOf(sql, `${schema}.records_pkey`)) {
      await sql.unsafe(`alter index ${index} reset (fillfactor)`);
    }
  }
  await sql.unsafe(`vacuum analyze ${table}`);
}

/** The index itself, or those of the partitions. */
async function indexesOf(sql: postgres.Sql, index: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select oid::regclass::text as name from pg_class
    where relkind = 'i' and (oid = ${index}::regclass
      or oid in (select relid from pg_partition_tree(${index}::regclass)))`;
  return rows.map(({ name }) => name);
}
