import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { maintenanceStatements } from './statements/maintenance.ts';
import { run } from './run.ts';
import { clientOf, tablesFields, type TablesOptions } from './tables.ts';

const lastOptions = lazily(() => z.strictObject(tablesFields(), NOT_AN_OBJECT));

/**
 * When the last walk of maintenance ended, by the clock of the database. Undefined if none has ended, or if a walk that
 * found no record was followed by one that has not ended.
 *
 * It tells apart two reasons for an empty `readStatus`: tables without records, and tables that were never walked.
 * Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { lastWalkAt } from 'handle-once/operations';
 *
 * const endedAt = await lastWalkAt({ sql });
 * if (endedAt === undefined) console.log('nothing maintains the tables');
 * ```
 */
export async function lastWalkAt(options: TablesOptions): Promise<Date | undefined> {
  const { databaseSchema, ...rest } = parseOptions('lastWalkAt', lastOptions(), options);
  const [row] = await run(clientOf(rest), maintenanceStatements(databaseSchema).ended, []);
  const endedMs = row?.[0] ?? null;
  return endedMs === null ? undefined : new Date(Number(endedMs));
}
