import type { FailedReason, ResultOmitted } from '../../outcome.ts';
import { type ClaimedRecord, claimReply } from '../claim-reply.ts';
import type { ClaimReply, ClaimRequest, ClaimTerms } from '../store.ts';
import { arrayLiteral } from './array.ts';
import type { PostgresClient } from './client.ts';
import { type Row, run } from './run.ts';

const MAX_INTEGER = 2_147_483_647;

/**
 * One statement: look first, and write only where the look says that the key is free.
 *
 * - `asked` reads each key by an index probe of its own (lateral, limit 1): a join is planned as a sequential scan on
 *   a table that was empty when it was planned. So is the probe on a table without pages; the migration makes some.
 * - A live record is answered from the look: a duplicate writes nothing, locks nothing, makes no WAL.
 * - `on conflict do update` locks the row and sees what was committed after our snapshot: of two claims at the same
 *   moment one updates a dead record, and the other finds it alive and writes it back unchanged. `do nothing` with
 *   a second look would answer nothing at all: that look has the old snapshot.
 * - `unnest((select ...))` gets one generic plan; a bare parameter is planned anew each time.
 * - Rows go in by key, so that two batches cannot lock one another.
 * - `statement_timestamp()` is the database's clock, and never later than the moment that the row is locked: a lease
 *   can seem alive a little too long, never too short.
 */
export function claimStatement(table: string): string {
  return `
with asked as materialized (
  select a.key, a.token, decode(a.fingerprint, 'hex') as fingerprint, r.live, r.owned, r.cells
  from unnest(
    (select $2::text::text[]), (select $3::text::uuid[]), (select $4::text::text[])
  ) as a(key, token, fingerprint)
  left join lateral (
    select t.live_until > statement_timestamp() as live, t.owned, ${cells('t')} as cells
    from ${table} t
    where t.scope = $1::text and t.key = a.key
    limit 1
  ) r on true
), taken as (
  insert into ${table} as t (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
  select $1::text, a.key, a.token, a.fingerprint, 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp()
  from asked a
  where a.live is not true
  order by a.key collate "C"
  on conflict (scope, key) do update set
    (state, owned, token, attempts, fingerprint, live_until, created_at,
     failed_reason, result, result_omitted, error) = (
      select
        case step when 'renew' then 'pending' when 'exhaust' then 'failed' else t.state end,
        case step when 'keep' then t.owned else step <> 'exhaust' end,
        case step when 'keep' then t.token else excluded.token end,
        case step when 'renew' then 1 when 'take' then t.attempts + 1 else t.attempts end,
        case step when 'renew' then excluded.fingerprint else t.fingerprint end,
        case step
          when 'keep' then t.live_until
          when 'exhaust' then statement_timestamp() + $7::text::float8 * interval '1 millisecond'
          else excluded.live_until
        end,
        case step when 'renew' then excluded.created_at else t.created_at end,
        case step when 'renew' then null when 'exhaust' then 'attempts-exhausted' else t.failed_reason end,
        case step when 'renew' then null else t.result end,
        case step when 'renew' then null else t.result_omitted end,
        case step when 'renew' then null else t.error end
      from (select case
        when t.live_until > statement_timestamp() then 'keep'
        when t.state <> 'pending' then 'renew'
        when t.fingerprint <> excluded.fingerprint then 'keep'
        when t.attempts >= $6::text::integer then 'exhaust'
        else 'take'
      end as step) decision
    )
  returning t.key, ${cells('t')} as cells,
    t.attempts > 1 and coalesce((select a.owned from asked a where a.key = t.key), false) as took_over
)
select key, took_over::text, ${CELLS.map((_, index) => `cells[${index + 1}]`).join(', ')}
from (
  select key, took_over, cells from taken
  union all
  select key, false, cells from asked where live
) answer`;
}

const CELLS = [
  (t: string) => `${t}.state`,
  (t: string) => `${t}.owned::text`,
  (t: string) => `${t}.token::text`,
  (t: string) => `encode(${t}.fingerprint, 'hex')`,
  (t: string) => `${t}.attempts::text`,
  (t: string) => `(extract(epoch from ${t}.live_until - clock_timestamp()) * 1000)::text`,
  (t: string) => `${t}.result`,
  (t: string) => `${t}.result_omitted`,
  (t: string) => `${t}.failed_reason`,
  (t: string) => `${t}.error`,
];

function cells(alias: string): string {
  return `array[${CELLS.map((cell) => cell(alias)).join(', ')}]`;
}

function toRecord(row: Row): ClaimedRecord {
  const [, tookOver, state, owned, token, fingerprint, attempts, remainingMs] = row;
  const [result, resultOmitted, failedReason, error] = row.slice(8);
  return {
    state: state as ClaimedRecord['state'],
    owned: owned === 'true',
    token: token ?? '',
    fingerprint: fingerprint ?? '',
    attempts: Number(attempts),
    remainingMs: Number(remainingMs),
    tookOver: tookOver === 'true',
    result: result ?? null,
    resultOmitted: (resultOmitted ?? null) as ResultOmitted | null,
    failedReason: (failedReason ?? null) as FailedReason | null,
    error: error ?? null,
  };
}

export async function claim(
  sql: PostgresClient,
  statement: string,
  requests: readonly ClaimRequest[],
  terms: ClaimTerms,
): Promise<ClaimReply[]> {
  const rows = await run(sql, statement, [
    terms.scope,
    arrayLiteral(requests.map(({ key }) => key)),
    arrayLiteral(requests.map(({ token }) => token)),
    arrayLiteral(requests.map(({ fingerprint }) => fingerprint)),
    String(terms.leaseMs),
    String(Math.min(terms.maxAttempts, MAX_INTEGER)),
    String(terms.failedRetentionMs),
  ]);
  const records = new Map(rows.map((row) => [row[0], toRecord(row)]));
  return requests.map((request) => {
    const record = records.get(request.key);
    if (record === undefined) throw new Error(`the claim statement left a key unanswered`);
    return claimReply(request, record);
  });
}
