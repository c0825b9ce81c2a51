import { batchRows, type Size } from '../../../postgres/request-rows.ts';

/**
 * Each requested key with its record, if there is one.
 *
 * Each is a separate index probe, whatever the planner knows of the table, as long as the table has the pages that the
 * migration makes.
 */
export function claimsWithRecords(size: Size, table: string): string {
  return `claims as materialized (
  select a.key, a.token as claim_token, decode(a.fingerprint, 'hex') as claim_fingerprint,
    r.live, r.owned as was_owned, r.owned, r.state, r.token, r.fingerprint, r.attempts, r.failures, r.created_at,
    r.live_until, r.result, r.result_omitted, r.failed_reason, r.error, r.steps
  from ${batchRows(size, 'a', { key: 'text', token: 'uuid', fingerprint: 'text' })}
  left join lateral (
    select t.*, t.live_until > statement_timestamp() as live
    from ${table} t
    where t.scope = $1::text and t.key = a.key
    limit 1
  ) r on true
)`;
}

/** The key, token and fingerprint of a claim, as SQL. */
interface NewRecord {
  readonly key: string;
  readonly token: string;
  readonly fingerprint: string;
}

/** An insert of a new record, without its `from` and `where`. */
export function insertRecord(table: string, claim: NewRecord): string {
  return `insert into ${table} as t
    (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
  select $1::text, ${claim.key}, ${claim.token}, ${claim.fingerprint}, 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp(), statement_timestamp()`;
}

/** A claim as the columns of `claims a`. */
export const CLAIM = { key: 'a.key', token: 'a.claim_token', fingerprint: 'a.claim_fingerprint' };

/** A new record for each claim that `where` leaves. */
export function insertForClaims(table: string, where: string): string {
  return `${insertRecord(table, CLAIM)}
  from claims a
  where ${where}`;
}
