import * as z from 'zod';
import { schemaOption } from '../migrations/options.ts';
import { keyFault } from '../options/key.ts';
import { storedScopeFault } from '../options/scope.ts';
import type { DatabaseClient } from '../store/postgres/database-client.ts';
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

/** A text that can be on record, or what is wrong with it. */
function textOnRecord(faultOf: (value: unknown) => string | undefined): z.ZodType<string, string> {
  return z.custom<string>().superRefine((value, context) => {
    const message = faultOf(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

/** With what adapters add to it. */
export const scopeField = textOnRecord(storedScopeFault);

export const recordFields = {
  ...tablesFields,
  scope: scopeField,
  key: textOnRecord(keyFault),
};

export interface ResolvedTables {
  readonly sql: SqlClient;
  readonly databaseSchema: string;
}

export interface Tables {
  readonly client: DatabaseClient;
  readonly statements: InspectStatements;
}

export function tablesOf({ sql, databaseSchema }: ResolvedTables): Tables {
  return { client: toDatabaseClient(sql), statements: inspectStatements(databaseSchema) };
}
