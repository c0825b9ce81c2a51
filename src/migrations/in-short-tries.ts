import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../words/errors.ts';
import type { DatabaseClient, DatabaseQueries } from '../postgres/database-client.ts';
import { sqlState } from '../postgres/error-layers.ts';
import { safeCause } from '../postgres/safe-cause.ts';
import { beginReadCommitted } from '../postgres/transaction.ts';

/** How long to wait for a lock. */
export interface Patience {
  /** In one try. Claims wait as long too, since every statement on the table queues behind the lock. */
  readonly lockMs: number;
  /** Between two tries, for the statements that have waited. */
  readonly pauseMs: number;
  /** In all. What another `migrate` takes does not count. */
  readonly totalMs: number;
}

export const PATIENCE: Patience = { lockMs: 250, pauseMs: 750, totalMs: 60_000 };

/** For a script, which cannot try again. */
export const SHORT_LOCKS = `-- Messages wait behind this script for no longer. Where it fails with 55P03, run it again.
set local lock_timeout = '${PATIENCE.lockMs}ms';`;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs work in a transaction while no other process does so on the same schema. Where the work waits for the lock of a
 * table for too long, its transaction is rolled back, and it runs again in another one.
 */
export async function inShortTries<T>(
  client: DatabaseClient,
  schema: string,
  work: (queries: DatabaseQueries) => Promise<T>,
  { lockMs, pauseMs, totalMs }: Patience,
): Promise<T> {
  let triedMs = 0;
  let seen: string | undefined;
  for (;;) {
    let beganAt = 0;
    let watch: BlockerWatch | undefined;
    try {
      return await beginReadCommitted(client, async (queries) => {
        const pid = await lockSchema(queries, schema);
        beganAt = performance.now();
        watch = watchBlockers(client, pid);
        await queries.execute(`set local lock_timeout = ${lockMs}`);
        return await work(queries);
      });
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      seen = watch?.seen() ?? seen;
      triedMs += performance.now() - beganAt + pauseMs;
      if (triedMs >= totalMs) throw blockedError(schema, totalMs, seen, error);
    } finally {
      watch?.stop();
    }
    await sleep(pauseMs);
  }
}

/**
 * One of many continues, and the others wait, however long it takes. The lock ends with the transaction, also behind a
 * pooler that gives the session to another client.
 */
async function lockSchema(queries: DatabaseQueries, schema: string): Promise<string> {
  await queries.execute('set local lock_timeout = 0');
  const lock =
    'select pg_advisory_xact_lock(hashtextextended($1::text, 0))::text as locked, pg_backend_pid()::text as pid';
  const [row] = await queries.query(lock, [`handle-once:${schema}`]);
  return row?.[1] ?? '';
}

function blockedError(schema: string, totalMs: number, seen: string | undefined, error: unknown): StoreError {
  const blocker =
    seen === undefined ? 'Look in pg_locks for what holds a lock on the tables' : `It was blocked by ${seen}`;
  return new StoreError(
    `migrate could not lock a table in schema ${schema} within ${totalMs / 1_000} s, and has changed nothing ` +
      `(SQLSTATE ${LOCK_NOT_AVAILABLE}). ${blocker}: let it end, or end it, and migrate again`,
    { retriable: true, mayHaveLanded: false, cause: safeCause(error) },
  );
}

/** Several looks fit into one wait for a lock. */
const LOOK_EVERY_MS = 50;

/**
 * $1: the process id of a session. The sessions that it waits for, the oldest transaction first. A role without the
 * rights of `pg_read_all_stats` gets no state and no time of the sessions of other roles.
 */
const BLOCKERS = `
select string_agg(
  case when b.pid = 0 then 'a prepared transaction' else format('process %s (%s)', b.pid, concat_ws(', ',
    'application ' || quote_literal(nullif(a.application_name, '')), a.backend_type,
    coalesce(a.state, case when a.backend_type is null then 'state unknown' end),
    'its transaction is ' || round(date_part('epoch', clock_timestamp() - a.xact_start)) || ' s old')) end,
  ' and ' order by a.xact_start) as blockers
from (select distinct pid from unnest(pg_blocking_pids($1::text::integer)) as p(pid)) b
  left join pg_catalog.pg_stat_activity a on a.pid = b.pid`;

type BlockerWatch = ReturnType<typeof watchBlockers>;

/** Follows whom a session waits for. The server knows only while it waits. */
function watchBlockers(client: DatabaseClient, pid: string) {
  const { maxConnections = Infinity } = client;
  const watching = new AbortController();
  const { signal } = watching;
  let seen: string | undefined;

  async function look(): Promise<void> {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    const [row] = await client.query(BLOCKERS, [pid]);
    seen = row?.[0] ?? seen;
    await look();
  }

  // A failure only costs the name of the blocker.
  if (maxConnections > 1) look().catch(() => undefined);
  return {
    /** Who was seen last. Undefined: no session, as where the client has no second connection to look with. */
    seen: () => seen,
    stop(): void {
      watching.abort();
    },
  };
}
