import { arrayLiteral } from '../../../src/postgres/array.ts';
import { ALL_TABLES, type Fault, faultsOf } from '../../../src/postgres/shape.ts';
import { run } from '../run.ts';
import { type Found, notice, ok, problem, type Subject } from './finding.ts';

/** Without these no message is handled. */
export const OF_HANDLING: readonly string[] = ['records', 'migrations'];

/** The tables that are missing. Parameters: $1 the schema, $2 names of tables. */
const MISSING = `
select t.name
from unnest($2::text::text[]) with ordinality as t(name, place)
where not exists (
  select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1::text and c.relname = t.name and c.relkind in ('r', 'p'))
order by t.place`;

export async function missingTables({ client, schema }: Subject): Promise<string[]> {
  const rows = await run(client, MISSING, [schema, arrayLiteral(ALL_TABLES)]);
  return rows.map(([name]) => name ?? '');
}

/** Tables that were dropped, and what others have lost. Older tables are found by their version. */
export async function tables(subject: Subject): Promise<Found> {
  const { client, schema } = subject;
  const missing = await missingTables(subject);
  if (missing.length > 0) return lacking(missing, schema);
  const faults = await faultsOf(client, schema, ALL_TABLES);
  return faults.length === 0 ? ok('all are there, with their columns and keys') : broken(faults, schema);
}

function broken(faults: readonly Fault[], schema: string): Found {
  const gravest = faults.find(({ table }) => table === 'records');
  const found = `in schema ${schema} ${faults.map(({ says }) => says).join('; ')}`;
  const fix = `${(gravest ?? faults[0])?.fix}${faults.length > 1 ? ', and correct the others likewise' : ''}`;
  return (gravest === undefined ? notice : problem)(found, fix);
}

export function lacking(missing: readonly string[], schema: string): Found {
  const names = missing.join(', ');
  const found = `the schema ${schema} lacks the table${missing.length > 1 ? 's' : ''} ${names}`;
  const fix =
    `run, as the owner of the tables, the statements about ${names} of those that npx handle-once sql ` +
    `--schema ${schema} prints, and then npx handle-once grants for each role: migrate makes no table a second time`;
  if (!missing.some((name) => OF_HANDLING.includes(name))) {
    return notice(`${found}: messages are handled, and maintenance or what is noted of attempts fails`, fix);
  }
  const isLost = missing.includes('records');
  return problem(
    `${found}: no message is handled`,
    isLost ? `restore the records from a backup, or messages run again; else ${fix}` : fix,
  );
}
