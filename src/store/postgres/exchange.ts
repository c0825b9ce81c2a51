import type { ClaimReply, ClaimRequest, ClaimTerms, Exchanged, SettleRequest } from '../store.ts';
import { columnsOf } from './batch.ts';
import { toReply } from './claim-reply.ts';
import type { DatabaseClient } from './database-client.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from './run-statement.ts';
import { toCells } from './settle.ts';

/**
 * Claims and settles in one statement. Claims of claimable records, and settles that changed nothing, are left to
 * `claim` and `settle`, which have second statements for them.
 */
export async function exchange(
  client: DatabaseClient,
  statement: string,
  claims: readonly ClaimRequest[],
  settles: readonly SettleRequest[],
  { scope, leaseMs }: ClaimTerms,
): Promise<Exchanged> {
  const rows = await run(client, statement, [
    scope,
    ...columnsOf(inLockOrder(claims).map(({ key, token, fingerprint }) => [key, token, fingerprint])),
    String(leaseMs),
    ...columnsOf(inLockOrder(settles).map(toCells)),
  ]);
  const replies = new Map<string, ClaimReply>();
  const settled = new Set<string>();
  for (const row of rows) {
    const [key, kind] = row;
    if (kind === 'settled') settled.add(key ?? '');
    else replies.set(key ?? '', toReply(row));
  }
  return {
    claims: claims.map(({ key }) => replies.get(key)),
    settles: settles.map(({ key }) => (settled.has(key) ? 'settled' : undefined)),
  };
}
