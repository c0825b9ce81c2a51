import type { ClaimTerms, ExtendReply, ExtendRequest } from '../store.ts';
import { batchOf } from '../../postgres/batch.ts';
import type { DatabaseClient } from '../../postgres/database-client.ts';
import { unlessLocked } from './locked-record.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from '../../postgres/run-statement.ts';
import type { BySize } from '../../postgres/request-rows.ts';

export function extend(
  client: DatabaseClient,
  statement: BySize,
  requests: readonly ExtendRequest[],
  { scope, leaseMs }: Pick<ClaimTerms, 'scope' | 'leaseMs'>,
): Promise<ExtendReply[]> {
  return unlessLocked(requests, async (some): Promise<ExtendReply[]> => {
    const { size, parameters } = batchOf(inLockOrder(some).map(({ key, token }) => [key, token]));
    const rows = await run(client, statement[size], [scope, ...parameters, String(leaseMs)]);
    const extended = new Set(rows.map(([key]) => key));
    return some.map(({ key }) => (extended.has(key) ? 'extended' : 'lost'));
  });
}
