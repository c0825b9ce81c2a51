import { batchRows, type Size } from '../../../postgres/request-rows.ts';

/**
 * Which of the keys that the settle did not change were settled by their tokens before, and as what: its reply was
 * lost, or their claim failed them.
 *
 * A second statement, since it must see what was committed while the first one waited for a row.
 */
export function settledBeforeStatement(table: string, size: Size): string {
  return `
select s.key, r.state
from ${batchRows(size, 's', { key: 'text', token: 'uuid' })}
cross join lateral (
  select t.state from ${table} t
  where t.scope = $1::text and t.key = s.key and t.token = s.token and not t.owned
  limit 1
) r`;
}
