import { inMs } from '../statements/inspect.ts';
import { READ_ONLY } from '../../../src/postgres/refusals.ts';
import { run } from '../run.ts';
import { type Found, notice, ok, problem, type Subject } from './finding.ts';

const SKEW_MS = 1_000;

/** The clock of the database, which decides leases, against the one of this process, which stamps its logs. */
export async function clock({ client }: Subject): Promise<Found> {
  const sentAt = Date.now();
  const [row] = await run(client, `select ${inMs('clock_timestamp()')} as now_ms`, []);
  const answeredAt = Date.now();
  const databaseMs = Number(row?.[0]);
  // The part of the difference that the round trip does not explain.
  const aheadMs = Math.max(databaseMs - answeredAt, 0);
  const behindMs = Math.max(sentAt - databaseMs, 0);
  const skewMs = Math.max(aheadMs, behindMs);
  if (skewMs <= SKEW_MS) return ok('within a second of the clock of this process');
  const seconds = (skewMs / 1_000).toFixed(1);
  return notice(
    `the clock of the database is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of this process`,
    "synchronise both, for example by NTP: leases use only the database's clock, and times in logs do not match it",
  );
}

/** The isolation level of statements that do not ask for one. */
export async function isolation({ client }: Subject): Promise<Found> {
  const [row] = await run(
    client,
    `select current_setting('default_transaction_isolation') as level, quote_ident(current_user) as role`,
    [],
  );
  const [level, role] = row ?? [];
  if (level === 'read committed' || level === 'read uncommitted') return ok(`the default is ${level}`);
  return notice(
    `the default is ${level}: statements that use one record at the same time fail with 40001, and are sent again`,
    `run \`alter role ${role} set default_transaction_isolation = 'read committed'\`, or change the client's own setting`,
  );
}

/** Whether the session can write, and whether what the server acknowledges outlives a crash of it. */
export async function writes({ client }: Subject): Promise<Found> {
  const [row] = await run(
    client,
    `select current_setting('transaction_read_only') as read_only, current_setting('synchronous_commit') as durable,
  quote_ident(current_user) as role`,
    [],
  );
  const [readOnly, durable, role] = row ?? [];
  if (readOnly === 'on') return problem(READ_ONLY.happened, READ_ONLY.fix);
  if (durable === 'off') {
    return problem(
      'synchronous_commit is off: a server that crashes forgets records it has acknowledged, and their messages run again',
      `run \`alter role ${role} set synchronous_commit = on\`, or change the client's own setting`,
    );
  }
  return ok('accepted, and durable once acknowledged');
}
