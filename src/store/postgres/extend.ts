import type { ClaimTerms, ExtendReply, ExtendRequest } from '../store.ts';
import { batchOf } from './batch.ts';
import type { DatabaseClient } from './database-client.ts';
import { unlessLocked } from './locked-record.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from './run-statement.ts';
import type { BySize } from './statements/request-rows.ts';

export function extend(
  client: DatabaseClient,
  statement: BySize,
  requests: readonly ExtendRequest[],
  terms: Pick<ClaimTerms, 'scope' | 'leaseMs'>,
): Promise<ExtendReply[]> {
  return unlessLocked(requests, (some) => extendAll(client, statement, some, terms));
}

async function extendAll(
  client: DatabaseClient,
  statement: BySize,
  requests: readonly ExtendRequest[],
  terms: Pick<ClaimTerms, 'scope' | 'leaseMs'>,
): Promise<ExtendReply[]> {
  const { size, parameters } = batchOf(inLockOrder(requests).map(({ key, token }) => [key, token]));
  const rows = await run(client, statement[size], [terms.scope, ...parameters, String(terms.leaseMs)]);
  const extended = new Set(rows.map(([key]) => key));
  return requests.map(({ key }) => (extended.has(key) ? 'extended' : 'lost'));
}
