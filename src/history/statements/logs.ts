import { quoteIdentifier } from '../../postgres/identifier.ts';

/** The columns of the lines of `failures`, from $2 on. */
export const FAILURE_COLUMNS = [
  'ageMs',
  'tookMs',
  'attempt',
  'batchSize',
  'key',
  'ending',
  'worker',
  'error',
] as const;

/** What consumers write to the logs: never in one statement with a claim or a settle. */
export function logStatements(schema: string) {
  const quoted = quoteIdentifier(schema);
  const failures = `${quoted}.failures`;
  const workers = `${quoted}.workers`;
  const stats = `${quoted}.stats`;
  return {
    /** $1 id, $2 host, $3 pid, $4 version, $5 milliseconds since the process started. */
    worker: `
insert into ${workers} (id, host, pid, version, started_at, seen_at)
values ($1::text, $2::text, $3::text::integer, $4::text,
  statement_timestamp() - $5::text::float8 * interval '1 millisecond', statement_timestamp())
on conflict (id) do update set seen_at = excluded.seen_at`,
    /** $1 scope, $2 to $9 as columns of lines, in arrays; $2 is milliseconds since the end of the attempt. */
    failures: `
insert into ${failures} (ended_at, took_ms, attempt, batch_size, scope, key, ending, worker, error)
select statement_timestamp() - l.age_ms * interval '1 millisecond',
  l.took_ms, l.attempt, l.batch_size, $1::text, l.key, l.ending, l.worker, l.error
from unnest((select $2::text::float8[]), (select $3::text::integer[]), (select $4::text::integer[]),
  (select $5::text::integer[]), (select $6::text::text[]), (select $7::text::text[]), (select $8::text::text[]),
  (select $9::text::text[]))
  with ordinality as l(age_ms, took_ms, attempt, batch_size, key, ending, worker, error, place)
order by l.place`,
    /** $1 scopes, $2 events, $3 counts. In one order, so that two processes cannot deadlock. */
    stats: `
insert into ${stats} (scope, minute, event, count)
select l.scope, date_trunc('minute', statement_timestamp()), l.event, l.count
from unnest($1::text::text[], $2::text::text[], $3::text::bigint[]) as l(scope, event, count)
order by l.scope collate "C", l.event collate "C"
on conflict (scope, minute, event) do update set count = ${stats}.count + excluded.count`,
  };
}
