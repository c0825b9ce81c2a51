import type postgres from 'postgres';

const RECORDS = 'handle_once.records';

/** One in so many has failed. */
const FAILED_EACH = 200;

/**
 * A table that has been in use for long: expired records were purged, and new ones are in their places, so that every
 * part of it has records of every time. The lines of `failures` are those of the failed ones.
 */
export async function fillReused(sql: postgres.Sql, records: number): Promise<void> {
  await sql.unsafe(`alter table ${RECORDS} drop constraint records_pkey`);
  await sql.unsafe(
    `insert into ${RECORDS} (live_until, created_at, began_at, token, attempts, failures, owned, state, scope, key, fingerprint, result, error)
    select now() + interval '7 days', t.at, t.at, gen_random_uuid(), 1, t.failed::integer, false,
      case when t.failed then 'failed' else 'succeeded' end, 'bench', 'order-' || lpad(n::text, 9, '0'), sha256(n::text::bytea),
      case when t.failed then null else '{"ok":true}' end,
      case when t.failed then '{"name":"GatewayError","message":"502 from the gateway"}' end
    from generate_series(1::bigint, $1::bigint) as n
      cross join lateral (select n % ${FAILED_EACH} = 0 as failed, now() - random() * interval '7 days' as at) as t`,
    [records],
  );
  await sql.unsafe(`alter table ${RECORDS} add constraint records_pkey primary key (scope, key)`);
  await sql.unsafe(
    `insert into handle_once.failures (ended_at, took_ms, attempt, scope, key, ending, worker, error)
    select created_at, 5, 1, scope, key, 'failed', left(token::text, 8), error from ${RECORDS} where state = 'failed'
    order by created_at`,
  );
  await sql.unsafe(`vacuum analyze ${RECORDS}`);
  await sql.unsafe('vacuum analyze handle_once.failures');
}
