/** Enough for another of our statements to commit, and short for the rest of the batch. */
export const LOCK_WAIT_MS = 250;

/**
 * Always true. Its side effect sets lock_timeout: it bounds how long this statement waits for a locked record.
 *
 * A transaction that has settled a record locks it until it ends, and after a broken connection until the server
 * notices. The batch would wait, with its own records locked.
 */
export function withLockTimeout(lockWaitMs: number): string {
  return `and (select set_config('lock_timeout', '${lockWaitMs}', true)) is not null`;
}

/** Reads past the lock. A record that is not committed yet is at its first attempt. */
export function lockedStatement(table: string): string {
  return `
select coalesce(max(attempts), 1)::text as attempts
from ${table}
where scope = $1::text and key = $2::text`;
}
