import type { DatabaseQueries } from '../postgres/database-client.ts';
import { quoteIdentifier } from '../postgres/identifier.ts';

/** The newest migration that ran in a schema: 0 for none. Throws what the client throws. */
export async function foundVersion(queries: DatabaseQueries, schema: string): Promise<number> {
  // Not to_regclass: it may answer from this session's cache, from before the lock of migrate was ours.
  const exists = `select tablename from pg_catalog.pg_tables where schemaname = $1::text and tablename = 'migrations'`;
  if ((await readText(queries, exists, [schema])) === null) return 0;
  const table = `${quoteIdentifier(schema)}.migrations`;
  // With a parameter, as our other statements: postgres sends one without by another protocol, and of a mix in one
  // connection a pooler can lose an answer.
  const newest = `select coalesce(max(version), 0)::text from ${table} where version > $1::text::integer`;
  return Number(await readText(queries, newest, ['0']));
}

async function readText(
  queries: DatabaseQueries,
  statement: string,
  parameters: string[],
): Promise<string | null> {
  const rows = await queries.query(statement, parameters);
  return rows[0]?.[0] ?? null;
}
