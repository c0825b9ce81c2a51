import { run } from '../run.ts';
import { ageOf } from './ages.ts';
import { type Found, notice, ok, type Subject } from './finding.ts';
import { named } from './leaves.ts';

/** Transactions that began since. A report, or a backup, is younger on most servers. */
const OLD = 100_000;

/**
 * What keeps vacuum of this database from removing rows that are dead, the oldest first: its name, its age in
 * transactions, and in seconds where that is known. Of other roles a role without `pg_read_all_stats` sees neither the
 * state nor the time. Autovacuum does not hold itself back, nor does a logical slot the tables of users.
 */
const HOLDERS = `
select h.holder, h.age::text as age, h.seconds::text as seconds
from (
  select format('process %s (%s)', a.pid, concat_ws(', ', case when r.pid is not null then 'a standby' end,
      'application ' || quote_literal(nullif(a.application_name, '')), a.state)) as holder,
    greatest(age(a.backend_xmin), age(a.backend_xid)) as age,
    date_part('epoch', clock_timestamp() - a.xact_start) as seconds
  from pg_catalog.pg_stat_activity a left join pg_catalog.pg_stat_replication r on r.pid = a.pid
  where a.pid <> pg_backend_pid() and (a.datid is null or a.datname = current_database())
    and a.backend_type is distinct from 'autovacuum worker'
  union all
  select format('the replication slot %s (%s)', s.slot_name, case when s.active then 'active' else 'not active' end),
    age(s.xmin), null
  from pg_catalog.pg_replication_slots s
  union all
  select format('the prepared transaction %L', p.gid), age(p.transaction),
    date_part('epoch', clock_timestamp() - p.prepared)
  from pg_catalog.pg_prepared_xacts p
  where p.database = current_database()
) h
where h.age is not null
order by h.age desc`;

/** What holds vacuum back: dead rows stay, and every statement reads past them. */
export async function horizon({ client }: Subject): Promise<Found> {
  const rows = await run(client, HOLDERS, []);
  const holders = rows.map(([holder, age, seconds]) => ({
    transactions: Number(age),
    text: `${holder}, ${Number(age).toLocaleString('en-US')} transactions and ${ageOf(seconds)?.text ?? 'an unknown time'} old`,
  }));
  const old = holders.filter(({ transactions }) => transactions >= OLD);
  if (old.length === 0) {
    const [oldest = 0] = holders.map(({ transactions }) => transactions);
    return ok(`the oldest open transaction or slot is ${oldest.toLocaleString('en-US')} transactions old`);
  }
  return notice(
    `vacuum cannot remove rows that died since these began: ${named(old.map(({ text }) => text))}`,
    'end the session with pg_terminate_backend, commit or roll back the prepared transaction, or drop a slot that ' +
      'has no consumer; idle_in_transaction_session_timeout ends sessions that were forgotten',
  );
}
