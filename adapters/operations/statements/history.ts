import { inMs } from './inspect.ts';
import { quoteIdentifier } from '../../../src/postgres/identifier.ts';

const LONG_AGO = `statement_timestamp() - $3::text::float8 * interval '1 millisecond'`;

/** $1 and $2 the first place and the one after the last. */
export const inPages = (t: string): string => `${t}.ctid >= $1::text::tid and ${t}.ctid < $2::text::tid`;

/** The newest lines of a record are kept, so many of them. */
export const LINES_PER_RECORD = 100;

/** How operations read and delete what consumers write in addition to the records. */
export function historyStatements(schema: string) {
  const quoted = quoteIdentifier(schema);
  const failures = `${quoted}.failures`;
  const workers = `${quoted}.workers`;
  const stats = `${quoted}.stats`;
  const records = `${quoted}.records`;
  return {
    /** $1 scope, $2 key: its newest lines, the newest first, each with its worker. */
    explain: `
select f.attempt::text as attempt, f.ending, ${inMs('f.ended_at')} as ended_ms,
  f.took_ms::text as took_ms, f.batch_size::text as batch_size, f.error, f.worker, w.host, w.pid::text as pid, w.version,
  ${inMs('w.started_at')} as started_ms
from ${failures} f left join ${workers} w on w.id = f.worker
where f.scope = $1::text and f.key = $2::text
order by f.id desc
limit ${LINES_PER_RECORD}`,
    /** $1 id. */
    findWorker: `
select w.id, w.host, w.pid::text as pid, w.version,
  ${inMs('w.started_at')} as started_ms
from ${workers} w
where w.id = $1::text`,
    /** $1 scope, null for all, $2 milliseconds since then. */
    readStats: `
select s.scope, ${inMs('s.minute')} as minute_ms, s.event, s.count::text as count
from ${stats} s
where s.minute >= statement_timestamp() - $2::text::float8 * interval '1 millisecond'
  and ($1::text is null or s.scope = $1::text)
order by s.minute, s.scope, s.event`,
    /** This and the next two: $1 and $2 the first place and the one after the last, $3 milliseconds. */
    forgetStats: `
delete from ${stats} s
where ${inPages('s')} and s.minute < ${LONG_AGO}`,
    /**
     * Lines of earlier lives of a key, those of a record that has enough newer ones, and those whose record has been
     * gone for so long. One record after the other, by key: a join could read all of the records.
     */
    forgetFailures: `
with kept as materialized (
  select k.scope, k.key, coalesce(
      (select t.created_at from ${records} t where t.scope = k.scope and t.key = k.key), ${LONG_AGO}
    ) as since, coalesce((
      select n.id from ${failures} n where n.scope = k.scope and n.key = k.key
      order by n.id desc offset ${LINES_PER_RECORD - 1} limit 1
    ), 0) as oldest_id
  from (select distinct f.scope, f.key from ${failures} f where ${inPages('f')}) k
)
delete from ${failures} f using kept k
where ${inPages('f')} and f.scope = k.scope and f.key = k.key
  and (f.ended_at < k.since or f.id < k.oldest_id)`,
    forgetWorkers: `
delete from ${workers} w
where ${inPages('w')} and w.seen_at < ${LONG_AGO}`,
  };
}
