import type { ClaimTerms, ExtendReply, ExtendRequest } from '../store.ts';
import { batchOf, type BySize, bySize, rowsToUpdateBy } from './batch.ts';
import type { DatabaseClient } from './database-client.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from './run.ts';

/** One fenced statement: a lease is longer from now on for the token that still owns it. */
export function extendStatement(table: string): BySize {
  return bySize(
    (size) => `
update ${table} t set live_until = statement_timestamp() + $4::text::float8 * interval '1 millisecond'
from ${rowsToUpdateBy(size, 'e', { key: 'text', token: 'uuid' })}
where t.scope = $1::text and t.key = e.key and t.token = e.token and t.owned
returning t.key`,
  );
}

export async function extend(
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
