import * as z from 'zod';
import { SchemaError } from '../api/errors.ts';
import { NOT_AN_OBJECT, parseOptions } from '../options/parse-options.ts';
import type { DatabaseClient, DatabaseQueries } from '../store/postgres/database-client.ts';
import { toStoreError } from '../store/postgres/failure.ts';
import { quoteIdentifier } from '../store/postgres/identifier.ts';
import { type SqlClient, sqlClient, toDatabaseClient } from '../store/postgres/sql-client.ts';
import { beginReadCommitted } from '../store/postgres/transaction.ts';
import { migrations } from './embedded.generated.ts';
import { schemaOption } from './options.ts';
import { renderBootstrap, renderMigration } from './render.ts';
import { LATEST, refuseNewer } from './version.ts';

/** Options of `migrate`. */
export interface MigrateOptions {
  /** The Postgres schema that gets the tables. Default `handle_once`. */
  readonly schema?: string | undefined;
}

/** What `migrate` found and did. */
export interface MigrateResult {
  /** The version that the database has now. */
  readonly version: number;
  /** Names of the migrations that this call ran: none when the database was current. */
  readonly applied: readonly string[];
}

const optionsSchema = z.strictObject({ schema: schemaOption }, NOT_AN_OBJECT);
const clientSchema = z.object({ sql: sqlClient });

/**
 * Brings the tables up to this version of the package. Call it at deployment, or at every start.
 *
 * Safe to call from many processes at once; on a current database it only reads, so that a role without the right to
 * create tables can call it. Throws `SchemaError` for a database that a newer version has migrated,
 * `InvalidOptionsError` and `StoreError`.
 *
 * @example
 * ```ts
 * const { version, applied } = await migrate(sql, { schema: 'handle_once' });
 * ```
 */
export async function migrate(sql: SqlClient, options: MigrateOptions = {}): Promise<MigrateResult> {
  parseOptions('migrate', clientSchema, { sql });
  const { schema } = parseOptions('migrate', optionsSchema, options);
  try {
    const client = toDatabaseClient(sql);
    const found = await versionOf(client, schema);
    if (found === LATEST) return { version: LATEST, applied: [] };
    return { version: LATEST, applied: await migrateLocked(client, schema) };
  } catch (error) {
    throw error instanceof SchemaError ? error : toStoreError(error);
  }
}

function migrateLocked(client: DatabaseClient, schema: string): Promise<string[]> {
  return beginReadCommitted(client, async (queries) => {
    // Of many at once, one migrates; the others then find it done. The lock ends with the transaction, also behind
    // a pooler that gives the session to another client.
    const lock = 'select pg_advisory_xact_lock(hashtextextended($1::text, 0))::text';
    await queries.query(lock, [`handle-once:${schema}`]);
    const found = await versionOf(queries, schema);
    if (found === 0) await queries.execute(renderBootstrap(schema));
    const missing = migrations.filter(({ version }) => version > found);
    for (const migration of missing) await queries.execute(renderMigration(migration, schema));
    return missing.map(({ name }) => name);
  });
}

/** The newest migration that ran: 0 for none. Throws `SchemaError` when this package does not know it. */
async function versionOf(queries: DatabaseQueries, schema: string): Promise<number> {
  const table = `${quoteIdentifier(schema)}.migrations`;
  // Not to_regclass: it may answer from this session's cache, from before the lock was ours.
  const exists = `select tablename from pg_catalog.pg_tables where schemaname = $1::text and tablename = 'migrations'`;
  if ((await readText(queries, exists, [schema])) === null) return 0;
  const found = Number(await readText(queries, `select coalesce(max(version), 0)::text from ${table}`, []));
  refuseNewer(found, schema);
  return found;
}

async function readText(
  queries: DatabaseQueries,
  statement: string,
  parameters: string[],
): Promise<string | null> {
  const rows = await queries.query(statement, parameters);
  return rows[0]?.[0] ?? null;
}
