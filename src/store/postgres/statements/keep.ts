import { withLockTimeout } from './locked.ts';
import { isInScope, rowsToUpdateBy, type Size } from '../../../postgres/request-rows.ts';

/**
 * One fenced statement: what an attempt has done is on record for the token that still owns it.
 *
 * Apart from heartbeats, which must not wait behind data.
 */
export function keepStatement(table: string, size: Size, lockWaitMs: number): string {
  return `
update ${table} t set steps = k.steps
from ${rowsToUpdateBy(size, 'k', { key: 'text', token: 'uuid', steps: 'text' })}
where ${isInScope(size, 'k')} and t.key = k.key and t.token = k.token and t.owned ${withLockTimeout(lockWaitMs)}
returning t.key`;
}
