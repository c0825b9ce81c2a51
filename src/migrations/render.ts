import { quoteIdentifier } from '../postgres/identifier.ts';
import type { Migration } from './migration.ts';

const SCHEMA = 'create schema :"schema";';

/** Records which migrations ran. */
const VERSIONS = `create table if not exists :"schema".migrations (
  version    integer     primary key,
  name       text        not null,
  applied_at timestamptz not null default now(),
  checksum   text                  -- SHA-256 of the file that ran
);`;

export function renderSchema(schema: string): string {
  return withSchema(SCHEMA, schema);
}

export function renderVersions(schema: string): string {
  return withSchema(VERSIONS, schema);
}

/**
 * Both, as a script has them. `create schema if not exists` would ask for the right to create schemas also where there
 * is one.
 */
export function renderBootstrap(schema: string): string {
  const once = `do $do$ begin
  if to_regnamespace(':"schema"') is null then ${SCHEMA} end if;
end $do$;`;
  return withSchema(`${once}\n${VERSIONS}`, schema);
}

/** A migration and the note that it ran. */
export function renderMigration({ version, name, checksum, sql }: Migration, schema: string): string {
  const note = `insert into :"schema".migrations (version, name, checksum) values (${version}, '${name}', '${checksum}');`;
  return withSchema(`${sql.trim()}\n\n${note}`, schema);
}

function withSchema(sql: string, schema: string): string {
  return sql.replaceAll(':"schema"', quoteIdentifier(schema));
}
