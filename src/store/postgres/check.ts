import { requireLatest } from '../../migrations/version.ts';
import type { DatabaseClient } from './database-client.ts';
import { quoteIdentifier } from './identifier.ts';
import { run } from './run.ts';

/** Reads the version of the tables, and no record. */
export function checkStatement(schema: string): string {
  const quoted = quoteIdentifier(schema);
  const records = `(select count(*) from ${quoted}.records where false)`;
  return `select (coalesce(max(version), 0) + ${records})::text from ${quoted}.migrations`;
}

/** Throws `SchemaError` for tables that are missing, older or newer, and `StoreError`. */
export async function check(client: DatabaseClient, statement: string, schema: string): Promise<void> {
  const [row] = await run(client, statement, []);
  requireLatest(Number(row?.[0] ?? 0), schema);
}
