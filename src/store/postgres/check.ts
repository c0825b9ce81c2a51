import { requireUsable } from '../../migrations/version.ts';
import type { DatabaseClient } from '../../postgres/database-client.ts';
import { noRightsError, readOnlyError } from '../../postgres/failure.ts';
import { requirePolicies } from '../../postgres/row-security.ts';
import { run } from '../../postgres/run-statement.ts';
import { requireShape } from '../../postgres/shape.ts';
import { CHECKED_SETTING } from './statements/check.ts';

/**
 * Throws `SchemaError` for tables that are missing, older, or newer by more than one version, that lack what the
 * statements need, that row level security hides, or that the role may not write; and `StoreError`,
 * also where nothing can be written.
 */
export async function check(client: DatabaseClient, statement: string, schema: string): Promise<void> {
  const [row] = await run(client, statement, [CHECKED_SETTING]);
  requireUsable(Number(row?.[0] ?? 0), schema);
  if (row?.[1] === 'on') throw readOnlyError();
  const lacked = row?.[2] ?? '';
  if (lacked !== '') throw noRightsError(schema, lacked);
  await requireShape(client, schema, ['records']);
  await requirePolicies(client, schema, 'handle');
}
