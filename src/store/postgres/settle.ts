import type { Settlement, SettleReply, SettleRequest } from '../store.ts';
import { arrayLiteral } from './array.ts';
import type { PostgresClient } from './client.ts';
import { run } from './run.ts';

const SETTLED_COLUMNS = [
  'state',
  'owned',
  'attempts',
  'live_until',
  'failed_reason',
  'result',
  'result_omitted',
  'error',
];

/**
 * One fenced statement: the row changes for its own token only.
 *
 * - It is written as an upsert of rows that exist, because a conflict is always found through the index, while
 *   `update ... from unnest` can be planned as a scan of the whole table.
 * - The same token again finds `owned` false, writes the row back as it is, and is answered as before. A settle whose
 *   reply was lost can so be sent again, even while the first one still runs.
 */
export function settleStatement(table: string): string {
  return `
insert into ${table} as t
  (scope, key, token, fingerprint, created_at, ${SETTLED_COLUMNS.join(', ')})
select $1::text, s.key, s.token, r.fingerprint, r.created_at,
  s.state, false, greatest(r.attempts - s.uncounted, 0),
  statement_timestamp() + s.live_ms * interval '1 millisecond',
  s.failed_reason, s.result, s.result_omitted, coalesce(s.error, r.error)
from unnest(
  (select $2::text::text[]), (select $3::text::uuid[]), (select $4::text::text[]), (select $5::text::float8[]),
  (select $6::text::integer[]), (select $7::text::text[]), (select $8::text::text[]), (select $9::text::text[]),
  (select $10::text::text[])
) as s(key, token, state, live_ms, uncounted, failed_reason, result, result_omitted, error)
cross join lateral (
  select t.fingerprint, t.created_at, t.attempts, t.error
  from ${table} t
  where t.scope = $1::text and t.key = s.key and t.token = s.token
  limit 1
) r
order by s.key collate "C"
on conflict (scope, key) do update set
  ${SETTLED_COLUMNS.map((column) => `${column} = case when t.owned then excluded.${column} else t.${column} end`).join(',\n  ')}
where t.token = excluded.token
returning t.key`;
}

interface SettledColumns {
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly liveMs: number;
  readonly uncounted: number;
  readonly failedReason: string | null;
  readonly result: string | null;
  readonly resultOmitted: string | null;
  readonly error: string | null;
}

const NOTHING = { uncounted: 0, failedReason: null, result: null, resultOmitted: null, error: null };

function toColumns(settlement: Settlement): SettledColumns {
  switch (settlement.kind) {
    case 'succeed': {
      const { result, resultOmitted, retentionMs } = settlement;
      return { ...NOTHING, state: 'succeeded', liveMs: retentionMs, result, resultOmitted };
    }
    case 'fail': {
      const { reason, error, retentionMs } = settlement;
      return { ...NOTHING, state: 'failed', liveMs: retentionMs, failedReason: reason, error };
    }
    case 'release': {
      const { error, retryAfterMs, uncounted } = settlement;
      return { ...NOTHING, state: 'pending', liveMs: retryAfterMs, uncounted: uncounted ? 1 : 0, error };
    }
  }
}

export async function settle(
  sql: PostgresClient,
  statement: string,
  requests: readonly SettleRequest[],
  scope: string,
): Promise<SettleReply[]> {
  const columns = requests.map(({ settlement }) => toColumns(settlement));
  const rows = await run(sql, statement, [
    scope,
    arrayLiteral(requests.map(({ key }) => key)),
    arrayLiteral(requests.map(({ token }) => token)),
    arrayLiteral(columns.map(({ state }) => state)),
    arrayLiteral(columns.map(({ liveMs }) => liveMs)),
    arrayLiteral(columns.map(({ uncounted }) => uncounted)),
    arrayLiteral(columns.map(({ failedReason }) => failedReason)),
    arrayLiteral(columns.map(({ result }) => result)),
    arrayLiteral(columns.map(({ resultOmitted }) => resultOmitted)),
    arrayLiteral(columns.map(({ error }) => error)),
  ]);
  const settled = new Set(rows.map(([key]) => key));
  return requests.map(({ key }) => (settled.has(key) ? 'settled' : 'lost'));
}
