import * as z from 'zod';
import { SchemaError } from '../errors.ts';
import { parseOptions, withMethods } from '../parse-options.ts';
import type { PostgresClient, PostgresQueries } from '../store/postgres/client.ts';
import { toStoreError } from '../store/postgres/failure.ts';
import { quoteIdentifier } from '../store/postgres/identifier.ts';
import { migrations } from './embedded.generated.ts';
import { schemaOption } from './options.ts';
import { renderBootstrap, renderMigration } from './render.ts';

export interface MigrateOptions {
  /** The Postgres schema that gets the tables. Default `handle_once`. */
  readonly schema?: string | undefined;
}

export interface MigrateResult {
  /** The version that the database has now. */
  readonly version: number;
  /** Names of the migrations that this call ran: none when the database was current. */
  readonly applied: readonly string[];
}

const optionsSchema = z.strictObject({ schema: schemaOption }, { error: 'the options must be an object' });
const clientSchema = z.object({
  sql: withMethods<PostgresClient>(
    ['unsafe', 'begin'],
    'a client made by postgres(url), not a transaction or a URL',
  ),
});

const LATEST = Math.max(...migrations.map(({ version }) => version));

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
export async function migrate(sql: PostgresClient, options: MigrateOptions = {}): Promise<MigrateResult> {
  parseOptions('migrate', clientSchema, { sql });
  const { schema } = parseOptions('migrate', optionsSchema, options);
  try {
    const found = await versionOf(sql, schema);
    if (found === LATEST) return { version: LATEST, applied: [] };
    return { version: LATEST, applied: await migrateLocked(sql, schema) };
  } catch (error) {
    throw error instanceof SchemaError ? error : toStoreError(error);
  }
}

async function migrateLocked(sql: PostgresClient, schema: string): Promise<string[]> {
  let applied: string[] = [];
  await sql.begin('isolation level read committed', async (transaction) => {
    // Of many at once, one migrates; the others then find it done. The lock ends with the transaction, also behind
    // a pooler that gives the session to somebody else.
    const lock = 'select pg_advisory_xact_lock(hashtextextended($1::text, 0))';
    await transaction.unsafe(lock, [`handle-once:${schema}`]).raw();
    const found = await versionOf(transaction, schema);
    if (found === 0) await transaction.unsafe(renderBootstrap(schema)).raw();
    const missing = migrations.filter(({ version }) => version > found);
    for (const migration of missing) await transaction.unsafe(renderMigration(migration, schema)).raw();
    applied = missing.map(({ name }) => name);
  });
  return applied;
}

/** The newest migration that ran: 0 for none. Throws `SchemaError` when this package does not know it. */
async function versionOf(sql: PostgresQueries, schema: string): Promise<number> {
  const table = `${quoteIdentifier(schema)}.migrations`;
  // Not to_regclass: it may answer from this session's cache, from before the lock was ours.
  const exists = `select tablename from pg_catalog.pg_tables where schemaname = $1::text and tablename = 'migrations'`;
  if ((await readText(sql, exists, [schema])) === null) return 0;
  const found = Number(await readText(sql, `select coalesce(max(version), 0)::text from ${table}`, []));
  if (found > LATEST) {
    throw new SchemaError(
      `the tables in schema ${schema} have version ${found}, and this version of handle-once knows ${LATEST}: ` +
        'upgrade the package before you run it against this database',
    );
  }
  return found;
}

async function readText(
  sql: PostgresQueries,
  statement: string,
  parameters: string[],
): Promise<string | null> {
  const rows = await sql.unsafe(statement, parameters).raw();
  const cell = rows[0]?.[0];
  return cell?.toString('utf8') ?? null;
}
