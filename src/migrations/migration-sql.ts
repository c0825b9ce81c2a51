import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions, wholeNumber } from '../options/parse-options.ts';
import { migrations } from './embedded.generated.ts';
import { SHORT_LOCKS } from './in-short-tries.ts';
import { schemaOption } from './options.ts';
import { renderBootstrap, renderMigration } from './render.ts';

/** Options of `migrationSql`. */
export interface MigrationSqlOptions {
  /** The Postgres schema that gets the tables. Default `handle_once`. */
  readonly schema?: string | undefined;
  /** Leaves out the migrations up to this version, for a database that has them. Default 0. */
  readonly after?: number | undefined;
}

const optionsSchema = lazily(() =>
  z.strictObject(
    { schema: schemaOption(), after: z._default(wholeNumber('migrations', 0, migrations.length), 0) },
    NOT_AN_OBJECT,
  ),
);

/**
 * The migrations as one SQL script, for your own migration tool. Run it in one transaction.
 *
 * It records in `migrations` what it did, so that `migrate` can continue from there. Throws `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * await writeFile('db/20260101_handle_once.sql', migrationSql());
 * ```
 */
export function migrationSql(options: MigrationSqlOptions = {}): string {
  const { schema, after } = parseOptions('migrationSql', optionsSchema(), options);
  const missing = migrations.filter(({ version }) => version > after);
  const parts = [
    SHORT_LOCKS,
    renderBootstrap(schema),
    ...missing.map((migration) => renderMigration(migration, schema)),
  ];
  return `${parts.join('\n\n')}\n`;
}
