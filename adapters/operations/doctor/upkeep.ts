import { quoteIdentifier } from '../../../src/postgres/identifier.ts';
import { LEAVES } from '../../../src/postgres/statements/leaves.ts';
import { run } from '../run.ts';
import { lastWalkEnd } from '../statements/maintenance.ts';
import { ageOf } from './ages.ts';
import { type Found, notice, ok, type Subject } from './finding.ts';
import { storageOption } from './leaves.ts';

/** Fewer are nothing to a table of any size. */
const MANY_DEAD = 10_000;
/** Of the live ones. Autovacuum begins at a fifth. */
const DEAD_SHARE = 0.5;

const DEAD = `
select coalesce(sum(s.n_dead_tup), 0)::text as dead, coalesce(sum(s.n_live_tup), 0)::text as live,
  date_part('epoch', now() - max(greatest(s.last_vacuum, s.last_autovacuum)))::bigint::text as vacuumed_s,
  (current_setting('autovacuum') = 'off'
    or coalesce(bool_or(not ${storageOption('autovacuum_enabled')}::boolean), false))::text as is_off
from pg_catalog.pg_stat_user_tables s join pg_catalog.pg_class c on c.oid = s.relid
where s.relid in (${LEAVES})`;

/** Rows that vacuum has not removed, and whether it comes by itself. */
export async function deadRows({ client, schema }: Subject): Promise<Found> {
  const [row] = await run(client, DEAD, [schema]);
  const [dead = 0, live = 0] = (row ?? []).map(Number);
  const vacuumed = ageOf(row?.[2]);
  const found =
    `${dead.toLocaleString('en-US')} dead rows and ${live.toLocaleString('en-US')} live ones, ` +
    (vacuumed === undefined ? 'never vacuumed' : `vacuumed ${vacuumed.text} ago`);
  if (row?.[3] === 'true') {
    return notice(
      `autovacuum is off for the records (${found})`,
      'turn it on: "alter table ... reset (autovacuum_enabled)", or the setting autovacuum of the server',
    );
  }
  if (dead < MANY_DEAD || dead < DEAD_SHARE * live) return ok(found);
  return notice(
    found,
    'correct what horizon found: transactions and replication slots that stay open for long hold vacuum back; ' +
      'else make autovacuum of this table more frequent (autovacuum_vacuum_scale_factor)',
  );
}

/** A job of every day that was missed twice. */
const LONG_S = 2 * 86_400;
const MAINTAIN =
  'call startMaintenance in a worker, or run npx handle-once maintain from cron; it deletes what has expired';

function walkStatement(schema: string): string {
  return `
select date_part('epoch', now() - ${lastWalkEnd(schema)})::bigint::text as ended_s,
  (select date_part('epoch', now() - min(applied_at)) from ${quoteIdentifier(schema)}.migrations)::bigint::text
    as installed_s`;
}

/** How long ago a walk of maintenance has come to its end. */
export async function maintenance({ client, schema }: Subject): Promise<Found> {
  const [row] = await run(client, walkStatement(schema), []);
  const ended = ageOf(row?.[0]);
  const installed = ageOf(row?.[1]);
  if (ended === undefined) {
    if (installed === undefined || installed.seconds < LONG_S)
      return ok('no walk has ended yet; the tables are new');
    return notice(`no walk has ended since the tables were made, ${installed.text} ago`, MAINTAIN);
  }
  if (ended.seconds < LONG_S) return ok(`the last walk ended ${ended.text} ago`);
  return notice(`the last walk ended ${ended.text} ago`, MAINTAIN);
}
