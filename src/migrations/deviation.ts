import { SchemaError } from '../words/errors.ts';
import type { DatabaseClient } from '../postgres/database-client.ts';
import { quoteIdentifier } from '../postgres/identifier.ts';
import { run } from '../postgres/run-statement.ts';
import { LATEST, migrations } from './embedded.generated.ts';
import type { Migration } from './migration.ts';
import { missingTables } from './missing-tables.ts';
import { renderRecord } from './render.ts';
import { fitOf } from './version.ts';

/** What is wrong with the tables of a schema, and what to do. */
export interface Deviation {
  readonly says: string;
  readonly fix: string;
}

/** How the table `migrations` of current tables deviates from what ran. Undefined where it does not. */
export async function deviationOf(client: DatabaseClient, schema: string): Promise<Deviation | undefined> {
  const table = `${quoteIdentifier(schema)}.migrations`;
  const statement = `select version::text as version, checksum from ${table} where version <= $1::text::integer`;
  const rows = await run(client, statement, [String(LATEST)]);
  const listed = new Map(rows.map(([version, checksum]) => [Number(version), checksum]));
  const unlisted = migrations.filter(({ version }) => !listed.has(version));
  if (unlisted.length > 0) {
    const inserts = unlisted.map((migration) => renderRecord(migration, schema));
    return {
      says: `the table migrations in schema ${schema} does not list ${namesOf(unlisted)}, but lists later ones`,
      fix: `a row was deleted: restore it by ${inserts.join(' ')}`,
    };
  }
  const edited = migrations.filter(({ version, checksum }) => (listed.get(version) ?? checksum) !== checksum);
  if (edited.length === 0) return undefined;
  const updates = edited.map(
    ({ version, checksum }) => `update ${table} set checksum = '${checksum}' where version = ${version};`,
  );
  return {
    says: `${namesOf(edited)} ran in schema ${schema} with different content than in this version of handle-once`,
    fix:
      `compare the tables with what npx handle-once sql --schema ${schema} prints, correct them, and then record it: ` +
      updates.join(' '),
  };
}

/** Throws `SchemaError` for tables that an edited migration has made, or whose migration is not listed. */
export async function requireAsReleased(client: DatabaseClient, schema: string): Promise<void> {
  const deviation = await deviationOf(client, schema);
  if (deviation !== undefined) throw new SchemaError(`${deviation.says}: ${deviation.fix}`);
}

/** Tables are there that a migration after `found` makes: their rows were lost, or they are not ours. */
export async function unlistedTables(
  client: DatabaseClient,
  schema: string,
  found: number,
): Promise<SchemaError> {
  const { says, fix } = unlisted(await missingTables(client, schema), schema, found);
  return new SchemaError(`${says}: ${fix}`);
}

/** The same of tables that look older. Undefined where no table is there that a later migration makes. */
export async function unlistedDeviation(
  client: DatabaseClient,
  schema: string,
  found: number,
): Promise<Deviation | undefined> {
  if (fitOf(found) !== 'older') return undefined;
  const missing = await missingTables(client, schema);
  const made = migrations.filter(({ version }) => version > found).flatMap(tablesOf);
  return made.every((table) => missing.includes(table)) ? undefined : unlisted(missing, schema, found);
}

function tablesOf({ sql }: Migration): string[] {
  return [...sql.matchAll(/^create table :"schema"\.(\w+)/gm)].map(([, table = '']) => table);
}

function unlisted(gone: readonly string[], schema: string, found: number): Deviation {
  const names = namesOf(migrations.filter(({ version }) => version > found));
  const missing = gone.filter((table) => table !== 'migrations');
  const lacks = missing.length === 0 ? '' : `, and ${missing.join(', ')} are not there`;
  const noteAgain =
    `of the statements that npx handle-once sql --schema ${schema} --after ${found} prints, run only those about ` +
    'migrations, as the owner of the tables';
  return {
    says: `schema ${schema} has tables that are not listed in its table migrations, which lacks ${names}${lacks}`,
    fix:
      missing.length === 0
        ? noteAgain
        : `restore the schema from a backup; or drop it and migrate again, and its messages run again; or use another schema`,
  };
}

function namesOf(some: readonly Migration[]): string {
  return some.map(({ name }) => name).join(', ');
}
