import type { Settlement, SettleReply, SettleRequest } from '../store.ts';
import { arrayLiteral } from './array.ts';
import type { PostgresClient } from './client.ts';
import { inLockOrder } from './lock-order.ts';
import { type Row, run } from './run.ts';

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
 * One fenced statement: a row changes for the token that owns it, and for no other.
 *
 * It is written as an upsert of rows that exist, because a conflict is always found through the index, while
 * `update ... from unnest` can be planned as a scan of the whole table.
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
  where t.scope = $1::text and t.key = s.key and t.token = s.token and t.owned
  limit 1
) r
on conflict (scope, key) do update set
  ${SETTLED_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
where t.token = excluded.token and t.owned
returning t.key`;
}

/**
 * Which of the keys that the settle did not change were settled by their tokens before: its reply was lost.
 *
 * A second statement, since it must see what was committed while the first one waited for a row.
 */
export function alreadySettledStatement(table: string): string {
  return `
select s.key
from unnest((select $2::text::text[]), (select $3::text::uuid[])) as s(key, token)
cross join lateral (
  select from ${table} t
  where t.scope = $1::text and t.key = s.key and t.token = s.token and not t.owned
  limit 1
) r`;
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

export interface SettleStatements {
  readonly settle: string;
  readonly alreadySettled: string;
}

export async function settle(
  sql: PostgresClient,
  statements: SettleStatements,
  requests: readonly SettleRequest[],
  scope: string,
): Promise<SettleReply[]> {
  const settled = keysOf(await run(sql, statements.settle, settleParameters(inLockOrder(requests), scope)));
  const unchanged = requests.filter(({ key }) => !settled.has(key));
  if (unchanged.length > 0) {
    const parameters = [scope, ...keysAndTokens(unchanged)];
    for (const key of keysOf(await run(sql, statements.alreadySettled, parameters))) settled.add(key);
  }
  return requests.map(({ key }) => (settled.has(key) ? 'settled' : 'lost'));
}

function settleParameters(requests: readonly SettleRequest[], scope: string): string[] {
  const columns = requests.map(({ settlement }) => toColumns(settlement));
  return [
    scope,
    ...keysAndTokens(requests),
    arrayLiteral(columns.map(({ state }) => state)),
    arrayLiteral(columns.map(({ liveMs }) => liveMs)),
    arrayLiteral(columns.map(({ uncounted }) => uncounted)),
    arrayLiteral(columns.map(({ failedReason }) => failedReason)),
    arrayLiteral(columns.map(({ result }) => result)),
    arrayLiteral(columns.map(({ resultOmitted }) => resultOmitted)),
    arrayLiteral(columns.map(({ error }) => error)),
  ];
}

function keysAndTokens(requests: readonly SettleRequest[]): [string, string] {
  return [arrayLiteral(requests.map(({ key }) => key)), arrayLiteral(requests.map(({ token }) => token))];
}

function keysOf(rows: readonly Row[]): Set<string | null | undefined> {
  return new Set(rows.map(([key]) => key));
}
