import { schemaOption } from '../migrations/options.ts';
import { keyFault } from '../options/key.ts';
import { satisfying } from '../options/parse-options.ts';
import type { DatabaseClient } from '../store/postgres/database-client.ts';
import { quoteIdentifier } from '../store/postgres/identifier.ts';
import { type SqlClient, sqlClient, toDatabaseClient } from '../store/postgres/sql-client.ts';
import { inspectStatements, type InspectStatements } from '../store/postgres/statements/inspect.ts';

/** Where the records are. */
export interface TablesOptions {
  /** As for `createHandleOnce`. */
  readonly sql: SqlClient;
  /** The Postgres schema that has the tables. Default `handle_once`. */
  readonly databaseSchema?: string | undefined;
}

/** One record. */
export interface RecordOptions extends TablesOptions {
  /** The whole scope, with what adapters add: `billing>kafka:workers`. `handleOnce.settings.scope` says it. */
  readonly scope: string;
  /** As in events and in dead letters. */
  readonly key: string;
}

export const tablesFields = { sql: sqlClient, databaseSchema: schemaOption };

/** Derived scopes are longer than keys. */
export const scopeField = satisfying<string>(
  (value) => typeof value === 'string' && value !== '',
  'the text of a scope',
);

export const recordFields = {
  ...tablesFields,
  scope: scopeField,
  key: satisfying<string>((value) => keyFault(value) === undefined, 'a text as in a record, not empty'),
};

interface ResolvedTables {
  readonly sql: SqlClient;
  readonly databaseSchema: string;
}

export interface Tables {
  readonly client: DatabaseClient;
  readonly statements: InspectStatements;
}

export function tablesOf({ sql, databaseSchema }: ResolvedTables): Tables {
  const table = `${quoteIdentifier(databaseSchema)}.records`;
  return { client: toDatabaseClient(sql), statements: inspectStatements(table) };
}
