import type { FailedReason, ResultOmitted } from '../../outcome.ts';
import type { ClaimReply, ClaimRequest, ClaimTerms } from '../store.ts';
import { arrayLiteral } from './array.ts';
import type { PostgresClient } from './client.ts';
import { inLockOrder } from './lock-order.ts';
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
 * - `statement_timestamp()` is the database's clock, and never later than the moment that the row is locked: a lease
 *   can seem alive a little too long, never too short.
 */
export function claimStatement(table: string): string {
  return `
with asked as materialized (
  select a.key, a.token as asked_token, decode(a.fingerprint, 'hex') as asked_fingerprint, r.*
  from unnest(
    (select $2::text::text[]), (select $3::text::uuid[]), (select $4::text::text[])
  ) as a(key, token, fingerprint)
  left join lateral (
    select t.live_until > statement_timestamp() as live, t.state, t.owned, t.token, t.fingerprint, ${answer('t')}
    from ${table} t
    where t.scope = $1::text and t.key = a.key
    limit 1
  ) r on true
), taken as (
  insert into ${table} as t (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
  select $1::text, a.key, a.asked_token, a.asked_fingerprint, 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp()
  from asked a
  where a.live is not true
  on conflict (scope, key) do update set
    state = case when ${KEPT} then t.state when ${EXHAUSTED} then 'failed' else 'pending' end,
    owned = case when ${KEPT} then t.owned else not ${EXHAUSTED} end,
    token = case when ${KEPT} then t.token else excluded.token end,
    attempts = case
      when ${KEPT} or ${EXHAUSTED} then t.attempts
      when t.state = 'pending' then t.attempts + 1
      else 1
    end,
    fingerprint = case when ${KEPT} then t.fingerprint else excluded.fingerprint end,
    live_until = case
      when ${KEPT} then t.live_until
      when ${EXHAUSTED} then statement_timestamp() + $7::text::float8 * interval '1 millisecond'
      else excluded.live_until
    end,
    created_at = case when ${KEPT} or t.state = 'pending' then t.created_at else excluded.created_at end,
    failed_reason = case when ${KEPT} then t.failed_reason when ${EXHAUSTED} then 'attempts-exhausted' end,
    result = case when ${KEPT} then t.result end,
    result_omitted = case when ${KEPT} then t.result_omitted end,
    error = case when ${KEPT} or t.state = 'pending' then t.error end
  returning t.key, ${answer('t')},
    -- Only a row that was there before has an xmax; a new one is ours without a comparison.
    case when t.xmax = 0 then 'claimed' else (select ${kind('t')} from asked a where a.key = t.key) end as kind
)
select key, kind, attempts, remaining_ms, reason, content from taken
union all
select key, ${kind('a')}, attempts, remaining_ms, reason, content from asked a where live`;
}

/** The record is alive, or waits for another payload: it stays as it is. */
const KEPT = `(t.live_until > statement_timestamp()
      or (t.state = 'pending' and t.fingerprint <> excluded.fingerprint))`;

/** Its last attempt is over, and was the last. */
const EXHAUSTED = `(t.state = 'pending' and t.attempts >= $6::text::integer)`;

/** What the reply says of a record beyond its kind. */
function answer(t: string): string {
  return `${t}.attempts,
    case ${t}.state when 'pending'
      then ceil(date_part('epoch', ${t}.live_until - statement_timestamp()) * 1000)::bigint end as remaining_ms,
    case ${t}.state when 'succeeded' then ${t}.result_omitted else ${t}.failed_reason end as reason,
    case ${t}.state when 'succeeded' then ${t}.result else ${t}.error end as content`;
}

/** What the record `t` is to the claim `a`, which also holds what the look found. */
function kind(t: string): string {
  return `case
      when ${t}.fingerprint <> a.asked_fingerprint then 'mismatch'
      when ${t}.state = 'succeeded' then 'succeeded'
      when ${t}.state = 'failed' then case when ${t}.token = a.asked_token then 'exhausted' else 'failed' end
      when not ${t}.owned then 'released'
      when ${t}.token <> a.asked_token then 'in-flight'
      when a.live is not true and a.owned then 'taken-over'
      else 'claimed'
    end`;
}

function toReply(row: Row | undefined): ClaimReply {
  if (row === undefined) throw new Error('the claim statement left a key unanswered');
  const [, kindText, attemptsText, remainingText, reason = null, content = null] = row;
  const kind = kindText ?? '';
  const attempts = Number(attemptsText);
  const retryAfterMs = Math.max(0, Number(remainingText));
  switch (kind) {
    case 'mismatch':
      return { kind };
    case 'succeeded':
      return { kind, attempts, result: content, resultOmitted: reason as ResultOmitted | null };
    case 'exhausted':
    case 'failed':
      return {
        kind: 'failed',
        attempts,
        reason: reason as FailedReason,
        error: content,
        replayed: kind === 'failed',
      };
    case 'released':
      return { kind, attempts, retryAfterMs, error: content };
    case 'in-flight':
      return { kind, attempts, retryAfterMs };
    default:
      return { kind: 'claimed', attempts, tookOver: kind === 'taken-over' };
  }
}

export async function claim(
  sql: PostgresClient,
  statement: string,
  requests: readonly ClaimRequest[],
  terms: ClaimTerms,
): Promise<ClaimReply[]> {
  const ordered = inLockOrder(requests);
  const rows = await run(sql, statement, [
    terms.scope,
    arrayLiteral(ordered.map(({ key }) => key)),
    arrayLiteral(ordered.map(({ token }) => token)),
    arrayLiteral(ordered.map(({ fingerprint }) => fingerprint)),
    String(terms.leaseMs),
    String(Math.min(terms.maxAttempts, MAX_INTEGER)),
    String(terms.failedRetentionMs),
  ]);
  const answered = new Map(rows.map((row) => [row[0], row]));
  return requests.map(({ key }) => toReply(answered.get(key)));
}
