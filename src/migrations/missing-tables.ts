import { SchemaError } from '../words/errors.ts';
import { arrayLiteral } from '../postgres/array.ts';
import type { DatabaseClient } from '../postgres/database-client.ts';
import { run } from '../postgres/run-statement.ts';
import { ALL_TABLES } from '../postgres/shape.ts';

/**
 * The tables that are missing. A view in the place of a table is not enough.
 * Parameters: $1 the schema, $2 names of tables.
 */
const MISSING = `
select t.name
from unnest($2::text::text[]) with ordinality as t(name, place)
where not exists (
  select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1::text and c.relname = t.name and c.relkind in ('r', 'p'))
order by t.place`;

export async function missingTables(client: DatabaseClient, schema: string): Promise<string[]> {
  const rows = await run(client, MISSING, [schema, arrayLiteral(ALL_TABLES)]);
  return rows.map(([name]) => name ?? '');
}

export function missingText(missing: readonly string[], schema: string): string {
  return `the schema ${schema} lacks the table${missing.length > 1 ? 's' : ''} ${missing.join(', ')}`;
}

export function missingFix(missing: readonly string[], schema: string): string {
  const names = missing.join(', ');
  const fix =
    `of the statements that npx handle-once sql --schema ${schema} prints, run those about ${names}, as the owner ` +
    'of the tables, and then what npx handle-once grants prints for each role: migrate does not create a table twice';
  return missing.includes('records')
    ? `restore the records from a backup, or messages run again; without a backup, ${fix}`
    : fix;
}

/** Throws `SchemaError` where a table was dropped that the migrations have made. */
export async function requireTables(client: DatabaseClient, schema: string): Promise<void> {
  const missing = await missingTables(client, schema);
  if (missing.length === 0) return;
  throw new SchemaError(`${missingText(missing, schema)}: ${missingFix(missing, schema)}`);
}
