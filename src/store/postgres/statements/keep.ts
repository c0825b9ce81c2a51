import { withLockTimeout } from './locked.ts';
import { isInScope, rowsToUpdateBy, type Size } from '../../../postgres/request-rows.ts';

/**
 * One fenced statement: what an attempt has done is on record for the token that still owns it. It is apart from
 * heartbeats, which must not wait behind data.
 *
 * Each text has all steps of those before it, and more. So a shorter one has come late, and changes nothing.
 */
export function keepStatement(table: string, size: Size, lockWaitMs: number): string {
  return `
update ${table} t set
  steps = case when octet_length(t.steps) > octet_length(k.steps) then t.steps else k.steps end
from ${rowsToUpdateBy(size, 'k', { key: 'text', token: 'uuid', steps: 'text' })}
where ${isInScope(size, 'k')} and t.key = k.key and t.token = k.token and t.owned ${withLockTimeout(lockWaitMs)}
returning t.key`;
}
