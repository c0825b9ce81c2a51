import type { ClaimTerms, ExtendReply, ExtendRequest } from '../store.ts';
import { arrayLiteral } from './array.ts';
import type { PostgresClient } from './client.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from './run.ts';

/** One fenced statement: a lease is longer from now on for the token that still owns it. Planned as the settle is. */
export function extendStatement(table: string): string {
  return `
insert into ${table} as t (scope, key, token, fingerprint, created_at, attempts, state, owned, live_until)
select $1::text, e.key, e.token, r.fingerprint, r.created_at, r.attempts, 'pending', true,
  statement_timestamp() + $4::text::float8 * interval '1 millisecond'
from unnest((select $2::text::text[]), (select $3::text::uuid[])) as e(key, token)
cross join lateral (
  select t.fingerprint, t.created_at, t.attempts
  from ${table} t
  where t.scope = $1::text and t.key = e.key and t.token = e.token and t.owned
  limit 1
) r
on conflict (scope, key) do update set live_until = excluded.live_until
where t.token = excluded.token and t.owned
returning t.key`;
}

export async function extend(
  sql: PostgresClient,
  statement: string,
  requests: readonly ExtendRequest[],
  terms: Pick<ClaimTerms, 'scope' | 'leaseMs'>,
): Promise<ExtendReply[]> {
  const ordered = inLockOrder(requests);
  const rows = await run(sql, statement, [
    terms.scope,
    arrayLiteral(ordered.map(({ key }) => key)),
    arrayLiteral(ordered.map(({ token }) => token)),
    String(terms.leaseMs),
  ]);
  const extended = new Set(rows.map(([key]) => key));
  return requests.map(({ key }) => (extended.has(key) ? 'extended' : 'lost'));
}
