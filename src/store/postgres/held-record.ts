import type { ClaimReply } from '../store.ts';
import type { DatabaseClient } from './database-client.ts';
import { sqlState } from './error-layers.ts';
import { run } from './run.ts';

/** Long for another claim to commit, and short for those that wait in the same batch. */
const LOCK_WAIT_MS = 250;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * A condition of the insert that always holds, and bounds how long its statement waits for a record.
 *
 * A caller's own transaction that has settled a record holds it until it ends, though the lease may lapse meanwhile.
 */
export const UNLESS_HELD = `and (select set_config('lock_timeout', '${LOCK_WAIT_MS}', true)) is not null`;

/** Whether a claim found a record that an open transaction holds. */
export function isHeld(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/** Reads past the lock. A record that is not committed yet is at its first attempt. */
export function heldStatement(table: string): string {
  return `select coalesce(max(attempts), 1)::text as attempts from ${table} where scope = $1::text and key = $2::text`;
}

/** Whoever has a transaction open on a record has the message in hand. */
export async function replyForHeld(
  client: DatabaseClient,
  statement: string,
  scope: string,
  key: string,
): Promise<ClaimReply> {
  const rows = await run(client, statement, [scope, key]);
  return { kind: 'in-flight', attempts: Number(rows[0]?.[0]), retryAfterMs: LOCK_WAIT_MS };
}
