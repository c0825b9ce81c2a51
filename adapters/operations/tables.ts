import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { schemaOption } from '../../src/migrations/options.ts';
import { keyFault } from '../../src/options/key.ts';
import { wholeNumber } from '../../src/options/parse-options.ts';
import { storedScopeFault } from '../../src/options/scope.ts';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import { limitedClient } from '../../src/store/postgres/limited-client.ts';
import { type SqlClient, sqlClient, toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { inspectStatements } from './statements/inspect.ts';

/** Where the records are. */
export interface TablesOptions {
  /** As for `createHandleOnce`. */
  readonly sql: SqlClient;
  /** The Postgres schema that has the tables. Default `handle_once`. */
  readonly databaseSchema?: string | undefined;
  /**
   * Milliseconds after which a statement without an answer is given up with `StoreError`, 100 to 43,200,000: a
   * connection can hang, and a server can freeze. The server may still run it. Default: no limit. A step of
   * maintenance is given up after a minute at the latest.
   */
  readonly replyTimeoutMs?: number | undefined;
}

/** One record. */
export interface RecordOptions extends TablesOptions {
  /** The whole scope, with what adapters add: `billing>kafka:workers`. It is `handleOnce.settings.scope`. */
  readonly scope: string;
  /** As in events and in dead letters. */
  readonly key: string;
}

export const tablesFields = lazily(() => ({
  sql: sqlClient(),
  databaseSchema: schemaOption(),
  replyTimeoutMs: z.optional(wholeNumber('milliseconds', 100, 43_200_000)),
}));

/** A text that can be on record, or what is wrong with it. */
function textOnRecord(faultOf: (value: unknown) => string | undefined): z.ZodMiniType<string, string> {
  return z.custom<string>().check(
    z.superRefine((value, context) => {
      const message = faultOf(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
  );
}

/** With what adapters add to it. */
export const scopeField = lazily(() => textOnRecord(storedScopeFault));

export const recordFields = lazily(() => ({
  ...tablesFields(),
  scope: scopeField(),
  key: textOnRecord(keyFault),
}));

export interface ResolvedTables {
  readonly sql: SqlClient;
  readonly databaseSchema: string;
  readonly replyTimeoutMs?: number | undefined;
}

export function clientOf({ sql, replyTimeoutMs }: Omit<ResolvedTables, 'databaseSchema'>): DatabaseClient {
  const client = toDatabaseClient(sql);
  return replyTimeoutMs === undefined ? client : limitedClient(client, replyTimeoutMs);
}

export function tablesOf({ databaseSchema, ...options }: ResolvedTables) {
  return { client: clientOf(options), statements: inspectStatements(databaseSchema) };
}
