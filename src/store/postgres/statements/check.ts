import { quoteIdentifier } from '../../../postgres/identifier.ts';

/** The parameter of the statement. */
export const CHECKED_SETTING = 'transaction_read_only';

/**
 * Reads the version of the tables, whether the session can write, which rights on the records the role lacks beside
 * that to read, and no record. Without a parameter `postgres` would send it by another protocol than the rest; of a
 * mix in one connection a pooler can lose an answer.
 */
export function checkStatement(schema: string): string {
  const quoted = quoteIdentifier(schema);
  return `
select (coalesce(max(version), 0) + (select count(*) from ${quoted}.records where false))::text as version,
  current_setting($1::text) as read_only,
  (select string_agg(r, ', ') from unnest(array['insert', 'update']) as r
    where not has_table_privilege('${quoted}.records', r)) as lacked
from ${quoted}.migrations`;
}
