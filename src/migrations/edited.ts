import { SchemaError } from '../words/errors.ts';
import type { DatabaseClient } from '../postgres/database-client.ts';
import { quoteIdentifier } from '../postgres/identifier.ts';
import { run } from '../postgres/run-statement.ts';
import { LATEST, migrations } from './embedded.generated.ts';
import type { Migration } from './migration.ts';

/** Migrations that ran with another content than they have in this package. */
export async function editedMigrations(
  client: DatabaseClient,
  schema: string,
): Promise<readonly Migration[]> {
  const table = `${quoteIdentifier(schema)}.migrations`;
  const statement = `
select version::text as version, checksum from ${table} where checksum is not null and version <= $1::text::integer`;
  const rows = await run(client, statement, [String(LATEST)]);
  const applied = new Map(rows.map(([version, checksum]) => [Number(version), checksum]));
  return migrations.filter(({ version, checksum }) => (applied.get(version) ?? checksum) !== checksum);
}

export function editedText(edited: readonly Migration[], schema: string): string {
  const names = edited.map(({ name }) => name).join(', ');
  return `${names} ran in schema ${schema} with another content than in this version of handle-once`;
}

export function editedFix(edited: readonly Migration[], schema: string): string {
  const updates = edited.map(
    ({ version, checksum }) =>
      `update ${quoteIdentifier(schema)}.migrations set checksum = '${checksum}' where version = ${version};`,
  );
  return (
    `compare the tables with what npx handle-once sql --schema ${schema} prints, correct them, and then note it: ` +
    updates.join(' ')
  );
}

/** Throws `SchemaError` for tables that an edited migration has made. */
export async function requireUnedited(client: DatabaseClient, schema: string): Promise<void> {
  const edited = await editedMigrations(client, schema);
  if (edited.length === 0) return;
  throw new SchemaError(`${editedText(edited, schema)}: ${editedFix(edited, schema)}`);
}
