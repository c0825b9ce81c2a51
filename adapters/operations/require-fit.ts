import { unlistedDeviation } from '../../src/migrations/deviation.ts';
import { fitOf, nextVersionText, requireUsable } from '../../src/migrations/version.ts';
import type { Reporter } from '../../src/reporting/reporter.ts';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import { requirePolicies } from '../../src/postgres/row-security.ts';
import { CHECKED_SETTING, checkStatement } from '../../src/store/postgres/statements/check.ts';
import { SchemaError } from '../../src/words/errors.ts';
import { run } from './run.ts';

/**
 * Throws `SchemaError` for tables that are missing, older, or newer by more than one version, where a walk could delete
 * what it must keep; and for tables that row level security hides, where a walk would find no record. Warns of tables
 * that are one version newer.
 */
export async function requireFit(
  client: DatabaseClient,
  schema: string,
  complain: Reporter['complain'],
): Promise<void> {
  const [row] = await run(client, checkStatement(schema), [CHECKED_SETTING]);
  const found = Number(row?.[0] ?? 0);
  const unlisted = await unlistedDeviation(client, schema, found);
  if (unlisted !== undefined) throw new SchemaError(`${unlisted.says}: ${unlisted.fix}`);
  requireUsable(found, schema);
  await requirePolicies(client, schema, 'maintain');
  if (fitOf(found) === 'next') complain('NEWER_TABLES', nextVersionText(found, schema));
}
