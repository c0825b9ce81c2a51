import { fewAtOnce } from '../../lib/few-at-once.ts';
import type { ClaimReply } from '../store.ts';
import type { DatabaseClient } from '../../postgres/database-client.ts';
import { sqlState } from '../../postgres/error-layers.ts';
import { run } from '../../postgres/run-statement.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/** Each waits for its lock with a connection, which the handlers need too. */
const ALONE_AT_ONCE = 5;

/**
 * Sends requests in one statement. Where an open transaction holds a record of theirs, each is sent alone, a few at
 * once: that one is `locked`, and keeps no other waiting.
 */
export async function unlessLocked<Request, Reply>(
  requests: readonly Request[],
  send: (requests: readonly Request[]) => Promise<readonly Reply[]>,
): Promise<(Reply | 'locked')[]> {
  try {
    return [...(await send(requests))];
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
  }
  if (requests.length === 1) return ['locked'];
  return (await fewAtOnce(requests, ALONE_AT_ONCE, (request) => unlessLocked([request], send))).flat();
}

const LOOKS_PER_LEASE = 3;

/**
 * The reply for a record that another transaction has locked: its owner works on the message, for how long is not
 * known. To look again each second would use up the receives of a queue.
 */
export async function replyForLocked(
  client: DatabaseClient,
  statement: string,
  { scope, leaseMs }: { readonly scope: string; readonly leaseMs: number },
  key: string,
): Promise<ClaimReply> {
  const rows = await run(client, statement, [scope, key]);
  return { kind: 'in-flight', attempts: Number(rows[0]?.[0]), retryAfterMs: leaseMs / LOOKS_PER_LEASE };
}

/**
 * The one order in which statements lock rows, so that two batches cannot wait for one another.
 *
 * Our statements write in the order of their arrays. Sorting here costs a tenth of what a sort in the plan does.
 */
export function inLockOrder<Request extends { readonly key: string }>(
  requests: readonly Request[],
): readonly Request[] {
  return requests.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
