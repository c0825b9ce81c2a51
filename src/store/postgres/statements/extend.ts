import { withLockTimeout } from './locked.ts';
import { isInScope, rowsToUpdateBy, type Size } from '../../../postgres/request-rows.ts';

/**
 * One fenced statement: a lease is longer from now on for the token that still owns it. Never shorter: a statement that
 * waited for a lock ends after one that began later.
 */
export function extendStatement(table: string, size: Size, lockWaitMs: number): string {
  return `
update ${table} t set
  live_until = greatest(t.live_until, statement_timestamp() + $4::text::float8 * interval '1 millisecond')
from ${rowsToUpdateBy(size, 'e', { key: 'text', token: 'uuid' })}
where ${isInScope(size, 'e')} and t.key = e.key and t.token = e.token and t.owned ${withLockTimeout(lockWaitMs)}
returning t.key`;
}
