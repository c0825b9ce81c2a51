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
 * Both, for a script. `create schema if not exists` would need the right to create schemas also where the schema
 * exists.
 */
export function renderBootstrap(schema: string): string {
  const once = `do $do$ begin
  if to_regnamespace(':"schema"') is null then ${SCHEMA} end if;
end $do$;`;
  return withSchema(`${once}\n${VERSIONS}`, schema);
}

/** A migration and the insert that records it. */
export function renderMigration(migration: Migration, schema: string): string {
  return `${withSchema(migration.sql.trim(), schema)}\n\n${renderRecord(migration, schema)}`;
}

export function renderRecord({ version, name, checksum }: Migration, schema: string): string {
  const insert = `insert into :"schema".migrations (version, name, checksum) values (${version}, '${name}', '${checksum}');`;
  return withSchema(insert, schema);
}

function withSchema(sql: string, schema: string): string {
  return sql.replaceAll(':"schema"', quoteIdentifier(schema));
}
