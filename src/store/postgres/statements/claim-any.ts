import type { Size } from '../../../postgres/request-rows.ts';
import { answerColumns, mismatch } from './claim-columns.ts';
import { CLAIM, claimsWithRecords, insertForClaims } from './claim-parts.ts';
import { withLockTimeout } from './locked.ts';

/**
 * Parameters: $1 scope, $2 keys, $3 tokens, $4 fingerprints, $5 lease, $6 maxAttempts, $7 retention of a failure,
 * $8 maxDeaths, $9 from how many deaths on a record is owned by claims of suspects alone. Times are milliseconds.
 *
 * The claim of a key in whatever state: it makes a record, or takes over, renews or exhausts one that is claimable.
 *
 * - `on conflict do update` locks the row and sees what was committed after our snapshot: of two claims at the same
 *   moment one updates a claimable record, and the other finds it alive and writes it back unchanged. `do nothing`
 *   with a second look would answer nothing at all: that look has the old snapshot.
 * - A new record is recognised by its token, as an old one is: a partitioned table shows no xmax of what it inserts.
 * - `statement_timestamp()` is the database's clock, and never later than the moment that the row is locked: a lease
 *   can seem alive a little too long, never too short.
 * - The update reads it from the row that was to be made: a distributed Postgres takes immutable functions there alone.
 */
export function claimAnyStatement(table: string, size: Size, lockWaitMs: number): string {
  return `
with ${claimsWithRecords(size, table)}, taken as (
  ${insertForClaims(table, `a.live is not true ${withLockTimeout(lockWaitMs)}`)}
  on conflict (scope, key) do update set
    state = case when ${KEPT} then t.state when ${EXHAUSTED} then 'failed' else 'pending' end,
    owned = case when ${KEPT} then t.owned else not ${EXHAUSTED} end,
    token = case when ${KEPT} then t.token else excluded.token end,
    attempts = case
      when ${KEPT} or ${EXHAUSTED} then t.attempts
      when t.state = 'pending' then t.attempts + 1
      else 1
    end,
    fingerprint = case when ${KEPT} or ${UNCOMPARED} then t.fingerprint else excluded.fingerprint end,
    live_until = case
      when ${KEPT} then t.live_until
      when ${EXHAUSTED} then ${afterNow('$7::text::float8')}
      else excluded.live_until
    end,
    failures = case when ${KEPT} or t.state = 'pending' then t.failures else 0 end,
    deaths = case
      when ${KEPT} then t.deaths
      when t.state = 'pending' then ${DEATHS}
      else 0
    end,
    began_at = case when ${KEPT} or ${EXHAUSTED} then t.began_at else excluded.began_at end,
    created_at = case when ${KEPT} or t.state = 'pending' then t.created_at else excluded.created_at end,
    failed_reason = case when ${KEPT} then t.failed_reason when ${EXHAUSTED} then
      case when t.failures >= $6::text::integer then 'attempts-exhausted' else 'deaths-exhausted' end
    end,
    result = case when ${KEPT} then t.result end,
    result_omitted = case when ${KEPT} then t.result_omitted end,
    error = case when ${KEPT} or t.state = 'pending' then t.error end,
    steps = case when ${KEPT} or t.state = 'pending' then t.steps end
  returning t.key, t.state, t.owned, t.token, t.fingerprint, t.attempts, t.failures, t.created_at,
    t.live_until, t.result, t.result_omitted, t.failed_reason, t.error, t.steps
)
select ${answerColumns('t', { ...CLAIM, deadToken: DEAD_TOKEN })} from taken t join claims a on a.key = t.key
union all
select ${answerColumns('a', CLAIM)} from claims a where a.live`;
}

/** The moment of the statement. */
const NOW = 'excluded.created_at';

/** Milliseconds after it. To add an interval to a time is not immutable, since days of some time zones are longer. */
function afterNow(ms: string): string {
  return `to_timestamp(date_part('epoch', ${NOW} - to_timestamp(0)) + ${ms} / 1000)`;
}

/** A record that was deleted since, and is made again, is at its first attempt: it was not taken over. */
const DEAD_TOKEN = `case when a.was_owned and (t.attempts > 1 or t.state = 'failed') then a.token::text end`;

/** A lapsed lease counts as a death. */
const DEATHS = '(t.deaths + t.owned::integer)';

/** Its failures are used up, or its worker died once too often. */
const EXHAUSTED = `(t.state = 'pending'
      and (t.failures >= $6::text::integer or (t.owned and ${DEATHS} >= $8::text::integer)))`;

/** A pending record that is compared with nothing stays so until it expires. */
const UNCOMPARED = `(t.state = 'pending' and t.fingerprint = '')`;

/** The record is alive, or waits: for a claim with its payload, or for one that may own suspects. */
const KEPT = `(t.live_until > ${NOW} or (t.state = 'pending' and (
      ${mismatch('t.fingerprint', 'excluded.fingerprint')}
      or (${DEATHS} >= $9::text::integer and not ${EXHAUSTED}))))`;
