import { missingFix, missingTables, missingText } from '../../../src/migrations/missing-tables.ts';
import { quoteIdentifier } from '../../../src/postgres/identifier.ts';
import { ALL_TABLES, type Fault, faultsOf } from '../../../src/postgres/shape.ts';
import { run } from '../run.ts';
import { andOthers, type Found, notice, ok, problem, type Subject } from './finding.ts';
import { named } from './leaves.ts';

/** Without these no message is handled. */
export const OF_HANDLING: readonly string[] = ['records', 'migrations'];

/**
 * Which hash partitions of the records are missing: detached, or dropped. Each modulus divides the largest one.
 * Parameter: $1 the schema.
 */
const LACKED_PARTITIONS = `
with parts as (
  select t.oid, m[1]::bigint as modulus, m[2]::bigint as remainder
  from pg_catalog.pg_class t join pg_catalog.pg_namespace n on n.oid = t.relnamespace
    join pg_catalog.pg_partitioned_table h on h.partrelid = t.oid and h.partstrat = 'h'
    left join pg_catalog.pg_inherits i on i.inhparent = t.oid
    left join pg_catalog.pg_class c on c.oid = i.inhrelid
    left join lateral regexp_match(
      pg_get_expr(c.relpartbound, c.oid), 'modulus (\\d+), remainder (\\d+)') m on true
  where n.nspname = $1::text and t.relname = 'records'
)
select format('modulus %s, remainder %s', w.modulus, r.remainder) as part
from (select coalesce(max(modulus), 1) as modulus from parts group by oid) w
  cross join lateral generate_series(0, w.modulus - 1) as r(remainder)
where not exists (select from parts p where r.remainder % p.modulus = p.remainder)
order by r.remainder`;

/** Partitions of the records that have another owner than their table. Parameter: $1 the schema. */
const FOREIGN_PARTITIONS = `
select quote_ident(c.relname), quote_ident(pg_get_userbyid(t.relowner))
from pg_catalog.pg_class t join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  cross join lateral pg_partition_tree(t.oid::regclass) p join pg_catalog.pg_class c on c.oid = p.relid
where n.nspname = $1::text and t.relname = 'records' and t.relkind = 'p' and c.relowner <> t.relowner
order by c.oid`;

/** Tables that were dropped, and what others have lost. Older tables are found by their version. */
export async function tables(subject: Subject): Promise<Found> {
  const { client, schema } = subject;
  const missing = await missingTables(client, schema);
  const faults = await faultsOf(client, schema, ALL_TABLES);
  const found = [
    ...(missing.length === 0 ? [] : [lacking(missing, schema)]),
    ...(faults.length === 0 ? [] : [broken(faults, schema)]),
    ...(await lackedPartitions(subject)),
    ...(await foreignPartitions(subject)),
  ];
  return found.length === 0 ? ok('all exist, with their columns and keys') : both(found);
}

async function lackedPartitions({ client, schema }: Subject): Promise<readonly Found[]> {
  const parts = (await run(client, LACKED_PARTITIONS, [schema])).map(([part]) => `(${part})`);
  const [first] = parts;
  if (first === undefined) return [];
  const found = `the table records of schema ${schema} has no partition for ${named(parts)}: no message there is claimed`;
  const records = `${quoteIdentifier(schema)}.records`;
  return [
    problem(
      `${found} (SQLSTATE 23514)`,
      `attach it again, as the owner of the tables: alter table ${records} attach partition NAME for values with ${first}` +
        '; if it is lost, make it as partition.sql does: its messages run again',
    ),
  ];
}

async function foreignPartitions({ client, schema }: Subject): Promise<readonly Found[]> {
  const rows = await run(client, FOREIGN_PARTITIONS, [schema]);
  const [[first, owner] = []] = rows;
  if (first === undefined) return [];
  return [
    notice(
      `the partitions ${named(rows.map(([name]) => name ?? ''))} do not belong to ${owner}, as records does: migrations ` +
        `and maintenance by ${owner} fail`,
      `as a superuser, run alter table ${quoteIdentifier(schema)}.${first} owner to ${owner}` +
        andOthers(rows.length),
    ),
  ];
}

/** As grave as the gravest. */
function both(found: readonly Found[]): Found {
  const level = found.some((one) => one.level === 'problem') ? 'problem' : 'notice';
  const join = (texts: readonly (string | undefined)[]) => texts.join('; and ');
  return { level, found: join(found.map((one) => one.found)), fix: join(found.map(({ fix }) => fix)) };
}

function broken(faults: readonly Fault[], schema: string): Found {
  const gravest = faults.find(({ table }) => table === 'records');
  const found = `in schema ${schema} ${faults.map(({ says }) => says).join('; ')}`;
  const fix = `${(gravest ?? faults[0])?.fix}${faults.length > 1 ? ', and correct the others in the same way' : ''}`;
  return (gravest === undefined ? notice : problem)(found, fix);
}

function lacking(missing: readonly string[], schema: string): Found {
  const found = missingText(missing, schema);
  const fix = missingFix(missing, schema);
  if (!missing.some((name) => OF_HANDLING.includes(name))) {
    return notice(`${found}: messages are handled, but maintenance or the history of attempts fails`, fix);
  }
  return problem(`${found}: no message is handled`, fix);
}
