import { quoteIdentifier } from '../identifier.ts';

/** Reads the version of the tables, and no record, and whether the session can write. */
export function checkStatement(schema: string): string {
  const quoted = quoteIdentifier(schema);
  return `
select (coalesce(max(version), 0) + (select count(*) from ${quoted}.records where false))::text as version,
  current_setting('transaction_read_only') as read_only
from ${quoted}.migrations`;
}
