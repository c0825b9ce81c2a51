import { requireLatest } from '../../migrations/version.ts';
import type { DatabaseClient } from './database-client.ts';
import { readOnlyError } from './failure.ts';
import { quoteIdentifier } from './identifier.ts';
import { run } from './run.ts';

/** Reads the version of the tables, and no record, and whether the session can write. */
export function checkStatement(schema: string): string {
  const quoted = quoteIdentifier(schema);
  const records = `(select count(*) from ${quoted}.records where false)`;
  return (
    `select (coalesce(max(version), 0) + ${records})::text as version, ` +
    `current_setting('transaction_read_only') as read_only from ${quoted}.migrations`
  );
}

/** Throws `SchemaError` for tables that are missing, older or newer, and `StoreError`, also where nothing can be written. */
export async function check(client: DatabaseClient, statement: string, schema: string): Promise<void> {
  const [row] = await run(client, statement, []);
  requireLatest(Number(row?.[0] ?? 0), schema);
  if (row?.[1] === 'on') throw readOnlyError();
}
