import { rowsToUpdateBy, type Size } from './request-rows.ts';

/** One fenced statement: a lease is longer from now on for the token that still owns it. */
export function extendStatement(table: string, size: Size): string {
  return `
update ${table} t set live_until = statement_timestamp() + $4::text::float8 * interval '1 millisecond'
from ${rowsToUpdateBy(size, 'e', { key: 'text', token: 'uuid' })}
where t.scope = $1::text and t.key = e.key and t.token = e.token and t.owned
returning t.key`;
}
