import type { ClaimReply } from '../store.ts';
import type { DatabaseClient } from './database-client.ts';
import { sqlState } from './error-layers.ts';
import { run } from './run-statement.ts';
import { LOCK_WAIT_MS } from './statements/locked.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a claim found a record that an open transaction holds. */
export function isLocked(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/** A record that another transaction has locked: its owner has the message in hand. */
export async function replyForLocked(
  client: DatabaseClient,
  statement: string,
  scope: string,
  key: string,
): Promise<ClaimReply> {
  const rows = await run(client, statement, [scope, key]);
  return { kind: 'in-flight', attempts: Number(rows[0]?.[0]), retryAfterMs: LOCK_WAIT_MS };
}
