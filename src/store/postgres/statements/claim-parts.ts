import { batchRows, type Size } from '../../../postgres/request-rows.ts';

/**
 * Each requested key with its record, if there is one.
 *
 * Each is a separate index probe, whatever the planner knows of the table, as long as the table has the pages that the
 * migration makes.
 */
export function askedRecords(size: Size, table: string): string {
  return `asked as materialized (
  select a.key, a.token as asked_token, decode(a.fingerprint, 'hex') as asked_fingerprint,
    r.live, r.owned as was_owned, r.owned, r.state, r.token, r.fingerprint, r.attempts, r.failures, r.live_until,
    r.result, r.result_omitted, r.failed_reason, r.error
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
export interface AskedColumns {
  readonly key: string;
  readonly token: string;
  readonly fingerprint: string;
}

/** An insert of a new record, without its `from` and `where`. */
export function insertRecord(table: string, asked: AskedColumns): string {
  return `insert into ${table} as t
    (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
  select $1::text, ${asked.key}, ${asked.token}, ${asked.fingerprint}, 'pending', true, 1,
    statement_timestamp() + $5::text::float8 * interval '1 millisecond', statement_timestamp(), statement_timestamp()`;
}

/** A new record for each claim that `where` leaves. */
export function insertAsked(table: string, where: string): string {
  const asked = { key: 'a.key', token: 'a.asked_token', fingerprint: 'a.asked_fingerprint' };
  return `${insertRecord(table, asked)}
  from asked a
  where ${where}`;
}
