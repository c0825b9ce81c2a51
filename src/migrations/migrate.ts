import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { SchemaError } from '../words/errors.ts';
import { NOT_AN_OBJECT, parseOptions } from '../options/parse-options.ts';
import { type Logger, loggerOption } from '../reporting/logger.ts';
import { createReporter } from '../reporting/reporter.ts';
import type { DatabaseClient, DatabaseQueries } from '../postgres/database-client.ts';
import { sqlState } from '../postgres/error-layers.ts';
import { toStoreError } from '../postgres/failure.ts';
import { quoteIdentifier } from '../postgres/identifier.ts';
import { ALL_TABLES, requireShape } from '../postgres/shape.ts';
import { type SqlClient, sqlClient, toDatabaseClient } from '../postgres/sql-client.ts';
import { requireAsReleased, unlistedTables } from './deviation.ts';
import { LATEST, migrations } from './embedded.generated.ts';
import { foundVersion } from './found-version.ts';
import { inShortTries, PATIENCE } from './in-short-tries.ts';
import { requireTables } from './missing-tables.ts';
import { schemaOption } from './options.ts';
import { renderMigration, renderSchema, renderVersions } from './render.ts';
import { fitOf, nextVersionText, refuseTooNew } from './version.ts';

/** Options of `migrate`. */
export interface MigrateOptions {
  /** The Postgres schema that gets the tables. Default `handle_once`. */
  readonly schema?: string | undefined;
  /** Gets the warning of tables that are one version newer. Default: process warnings. */
  readonly logger?: Logger | undefined;
}

/** What `migrate` found and did. */
export interface MigrateResult {
  /** The version that the database has now. */
  readonly version: number;
  /** Names of the migrations that this call ran: none when the database was current. */
  readonly applied: readonly string[];
}

const optionsSchema = lazily(() =>
  z.strictObject({ schema: schemaOption(), logger: loggerOption() }, NOT_AN_OBJECT),
);
const clientSchema = lazily(() => z.object({ sql: sqlClient() }));

/**
 * Brings the tables up to this version of the package. Call it at deployment, or at every start.
 *
 * Safe to call from many processes at once. On a current database it only reads, so a role without the right to create
 * tables can call it.
 *
 * Migrate first, then deploy: the old code works with tables that are one version newer than it, and its `migrate`
 * changes nothing and gives the warning `NEWER_TABLES`. Tables that are two or more versions newer are refused with
 * `SchemaError`: they may not be compatible. Tables of this version are refused too if they were dropped, have lost a
 * column or a key, are UNLOGGED, were made by a migration with different content, or are not listed in the table
 * `migrations`: nothing is created twice.
 *
 * It waits for the lock of a table for 250 ms at a time, so that no message waits longer behind it, and tries again for
 * a minute. Then it throws a `StoreError` that names the session that holds the lock. It also throws
 * `InvalidOptionsError`, and `StoreError` for other failures.
 *
 * @example
 * ```ts
 * const { version, applied } = await migrate(sql, { schema: 'handle_once' });
 * ```
 */
export async function migrate(sql: SqlClient, options: MigrateOptions = {}): Promise<MigrateResult> {
  parseOptions('migrate', clientSchema(), { sql });
  const { schema, logger } = parseOptions('migrate', optionsSchema(), options);
  const result = await migrated(toDatabaseClient(sql), schema);
  if (fitOf(result.version) === 'next') {
    const { complain } = createReporter({ logger, isObserved: false, rowOf: () => undefined });
    complain('NEWER_TABLES', nextVersionText(result.version, schema));
  }
  return result;
}

const TABLE_EXISTS = '42P07';

async function migrated(client: DatabaseClient, schema: string): Promise<MigrateResult> {
  let found = 0;
  try {
    found = await foundVersion(client, schema);
    refuseTooNew(found, schema);
    const result =
      fitOf(found) === 'older' ? await migrateLocked(client, schema) : { version: found, applied: [] };
    await requireTables(client, schema);
    await requireShape(client, schema, ALL_TABLES);
    await requireAsReleased(client, schema);
    return result;
  } catch (error) {
    if (sqlState(error) === TABLE_EXISTS) throw await unlistedTables(client, schema, found);
    throw error instanceof SchemaError ? error : toStoreError(error);
  }
}

/** A role that owns the schema need not have the right to create others. */
async function bootstrap(queries: DatabaseQueries, schema: string): Promise<void> {
  const [known] = await queries.query('select to_regnamespace($1::text)::text as name', [
    quoteIdentifier(schema),
  ]);
  if (typeof known?.[0] !== 'string') await queries.execute(renderSchema(schema));
  await queries.execute(renderVersions(schema));
}

/** Runs what is missing. */
export function migrateLocked(
  client: DatabaseClient,
  schema: string,
  patience = PATIENCE,
): Promise<MigrateResult> {
  const migrateOnce = async (queries: DatabaseQueries): Promise<MigrateResult> => {
    const found = await foundVersion(queries, schema);
    refuseTooNew(found, schema);
    if (found === 0) await bootstrap(queries, schema);
    const missing = migrations.filter(({ version }) => version > found);
    for (const migration of missing) await queries.execute(renderMigration(migration, schema));
    return { version: Math.max(found, LATEST), applied: missing.map(({ name }) => name) };
  };
  return inShortTries(client, schema, migrateOnce, patience);
}
