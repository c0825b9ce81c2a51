import { arrayLiteral } from '../../../src/postgres/array.ts';
import { RIGHTS } from '../../../src/postgres/rights.ts';
import { LEAVES } from '../../../src/postgres/statements/leaves.ts';
import { run } from '../run.ts';
import { andOthers, type Found, notice, ok, problem, type Subject } from './finding.ts';
import { named } from './leaves.ts';

/** Other tables, besides the records, in which rows are updated or deleted. */
const CHANGED = Object.entries(RIGHTS.maintain)
  .filter(([table, rights]) => table !== 'records' && /update|delete/.test(rights))
  .map(([table]) => table);

/**
 * The tables that a publication with updates or deletes has, itself or by their parents, and that have no replica
 * identity: a full one, or a valid index. Parameters: $1 the schema, $2 the other tables.
 */
const WITHOUT_IDENTITY = `
select format('%I.%I', n.nspname, c.relname) as name, string_agg(distinct t.pubname, ', ') as publications,
  (c.oid in (${LEAVES}))::text as has_records,
  exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary)::text as has_key
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  cross join lateral (select c.oid union select relid from pg_partition_ancestors(c.oid)) as self(oid)
  join pg_catalog.pg_class s on s.oid = self.oid
  join pg_catalog.pg_namespace o on o.oid = s.relnamespace
  join pg_catalog.pg_publication_tables t on t.schemaname = o.nspname and t.tablename = s.relname
  join pg_catalog.pg_publication p on p.pubname = t.pubname and (p.pubupdate or p.pubdelete)
where (c.oid in (${LEAVES}) or n.nspname = $1::text and c.relname = any($2::text::text[]) and c.relkind = 'r')
  and c.relreplident <> 'f'
  and not exists (
    select from pg_catalog.pg_index i
    where i.indrelid = c.oid and i.indisvalid and i.indimmediate
      and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident))
group by c.oid, n.nspname, c.relname
order by has_records desc, name`;

/** Tables that a publication has, and whose rows the server therefore refuses to update or delete. */
export async function publications({ client, schema }: Subject): Promise<Found> {
  const rows = await run(client, WITHOUT_IDENTITY, [schema, arrayLiteral(CHANGED)]);
  const [first] = rows;
  if (first === undefined) return ok('every table that is published has a replica identity, or needs none');
  const [name, publication, hasRecords, hasKey] = first;
  const names = rows.map(([table]) => table ?? '');
  const isProblem = hasRecords === 'true';
  return (isProblem ? problem : notice)(
    `${named(names)} ${names.length > 1 ? 'have' : 'has'} no replica identity, and ${names.length > 1 ? 'are' : 'is'} ` +
      `in the publication ${publication}: the server refuses to update or delete rows (SQLSTATE 55000), so ` +
      (isProblem ? 'no message is settled' : 'maintenance and forget fail'),
    `run \`alter table ${name} replica identity ${hasKey === 'true' ? 'default' : 'full'}\`` +
      andOthers(names.length) +
      ', as the owner of the tables',
  );
}
