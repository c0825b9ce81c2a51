/** Long for another claim to commit, and short for those that wait in the same batch. */
export const LOCK_WAIT_MS = 250;

/**
 * Always true. Its side effect sets lock_timeout: it bounds how long this statement waits for a locked record.
 *
 * A caller's own transaction that has settled a record holds it until it ends, though the lease may lapse meanwhile.
 */
export const WITH_LOCK_TIMEOUT = `and (select set_config('lock_timeout', '${LOCK_WAIT_MS}', true)) is not null`;

/** Reads past the lock. A record that is not committed yet is at its first attempt. */
export function lockedStatement(table: string): string {
  return `
select coalesce(max(attempts), 1)::text as attempts
from ${table}
where scope = $1::text and key = $2::text`;
}
