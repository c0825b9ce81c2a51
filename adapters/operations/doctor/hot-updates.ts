import { LEAVES } from '../../../src/postgres/statements/leaves.ts';
import { run } from '../run.ts';
import { andOthers, type Found, notice, ok, type Subject } from './finding.ts';
import { named, storageOption } from './leaves.ts';

/** Of the migration: it leaves room on each page for the settle. */
const FILLFACTOR = 50;
/** Where a table has no such option. */
const WHOLE_PAGES = 100;

const OPTIONS = `
select format('%I.%I', n.nspname, c.relname) as name, ${storageOption('fillfactor')} as fillfactor,
  coalesce(${storageOption('vacuum_truncate')}::boolean, true)::text as truncates
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.oid in (${LEAVES})
order by 1`;

/** Storage options of the records' tables. */
export async function storage({ client, schema }: Subject): Promise<Found> {
  const rows = await run(client, OPTIONS, [schema]);
  const wrong = rows.flatMap(([name, fillfactor, truncates]) => {
    const faults = [
      ...(Number(fillfactor ?? WHOLE_PAGES) > FILLFACTOR ? [`fillfactor ${fillfactor ?? WHOLE_PAGES}`] : []),
      ...(truncates === 'true' ? ['vacuum_truncate on'] : []),
    ];
    return faults.length === 0 ? [] : [{ name, text: `${name} has ${faults.join(' and ')}` }];
  });
  const [first] = wrong;
  if (first === undefined) return ok(`fillfactor is ${FILLFACTOR} at most, and vacuum_truncate is off`);
  return notice(
    `${named(wrong.map(({ text }) => text))}: settles move to another page than their claim, or vacuum locks the ` +
      'table to truncate it',
    `run \`alter table ${first.name} set (fillfactor = ${FILLFACTOR}, vacuum_truncate = off)\`` +
      andOthers(wrong.length),
  );
}

/** The indexes that the migrations made: the primary key, and a BRIN index of `created_at`, which no settle touches. */
const OTHERS = `
select format('%I.%I', n.nspname, x.relname) as name
from pg_catalog.pg_index i
  join pg_catalog.pg_class x on x.oid = i.indexrelid
  join pg_catalog.pg_namespace n on n.oid = x.relnamespace
  join pg_catalog.pg_am a on a.oid = x.relam
where i.indrelid in (${LEAVES}) and not i.indisprimary
  and not (a.amname = 'brin' and i.indnatts = 1 and exists (
    select from pg_catalog.pg_attribute t
    where t.attrelid = i.indrelid and t.attnum = i.indkey[0] and t.attname = 'created_at'))
order by 1`;

/** Indexes of the records' tables that each claim and settle keeps up too. */
export async function indexes({ client, schema }: Subject): Promise<Found> {
  const rows = await run(client, OTHERS, [schema]);
  const names = rows.map(([name]) => name ?? '');
  if (names.length === 0) return ok('only those of the migrations');
  return notice(
    `handle-once did not create ${named(names)}: every claim writes it too, and on a column that a settle changes ` +
      'it prevents the cheap (HOT) update of settles',
    `run \`drop index concurrently ${names[0]}\`${andOthers(names.length)}, or search a ` +
      'copy of the table',
  );
}

/** Fewer say nothing of the next ones. */
const ENOUGH_UPDATES = 1_000;
const ENOUGH_HOT = 0.9;

const UPDATES = `
select coalesce(sum(s.n_tup_upd), 0)::text as updates, coalesce(sum(s.n_tup_hot_upd), 0)::text as hot
from pg_catalog.pg_stat_user_tables s
where s.relid in (${LEAVES})`;

/** How many updates stayed on their page, and wrote no index: settles are meant to. */
export async function hotUpdates({ client, schema }: Subject): Promise<Found> {
  const [row] = await run(client, UPDATES, [schema]);
  const [updates = 0, hot = 0] = (row ?? []).map(Number);
  if (updates < ENOUGH_UPDATES) return ok(`${updates} updates since statistics began: too few to judge`);
  const share = hot / updates;
  const found = `${Math.floor(share * 100)} % of ${updates.toLocaleString('en-US')} updates were HOT`;
  if (share >= ENOUGH_HOT) return ok(found);
  return notice(
    `${found}: the other updates wrote every index again`,
    'correct what storage, indexes and horizon found; else look for large results, which storeResult: false leaves out',
  );
}
