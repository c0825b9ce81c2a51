import { quoteIdentifier } from '../store/postgres/identifier.ts';
import type { Migration } from './migration.ts';

/**
 * Makes the schema and the table that records which migrations ran. `create schema if not exists` would ask for the
 * right to create schemas also where there is one.
 */
const BOOTSTRAP = `do $do$ begin
  if to_regnamespace(':"schema"') is null then create schema :"schema"; end if;
end $do$;
create table if not exists :"schema".migrations (
  version    integer     primary key,
  name       text        not null,
  applied_at timestamptz not null default now()
);`;

export function renderBootstrap(schema: string): string {
  return withSchema(BOOTSTRAP, schema);
}

/** A migration and the note that it ran. */
export function renderMigration({ version, name, sql }: Migration, schema: string): string {
  const note = `insert into :"schema".migrations (version, name) values (${version}, '${name}');`;
  return withSchema(`${sql.trim()}\n\n${note}`, schema);
}

function withSchema(sql: string, schema: string): string {
  return sql.replaceAll(':"schema"', quoteIdentifier(schema));
}
