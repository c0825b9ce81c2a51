import type { ClaimTerms, ExtendReply, ExtendRequest } from '../store.ts';
import { batchOf, batchRows, type BySize, bySize } from './batch.ts';
import type { DatabaseClient } from './database-client.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from './run.ts';

/** One fenced statement: a lease is longer from now on for the token that still owns it. Written as the settle is. */
export function extendStatement(table: string): BySize {
  return bySize(
    (size) => `
insert into ${table} as t (scope, key, token, fingerprint, created_at, attempts, state, owned, live_until)
select $1::text, e.key, e.token, r.fingerprint, r.created_at, r.attempts, 'pending', true,
  statement_timestamp() + $4::text::float8 * interval '1 millisecond'
from ${batchRows(size, 'e', { key: 'text', token: 'uuid' })}
cross join lateral (
  select t.fingerprint, t.created_at, t.attempts
  from ${table} t
  where t.scope = $1::text and t.key = e.key and t.token = e.token and t.owned
  limit 1
) r
on conflict (scope, key) do update set live_until = excluded.live_until
where t.token = excluded.token and t.owned
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
