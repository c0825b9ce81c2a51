import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sql } from 'postgres';
import { maintain } from '../../adapters/operations/index.ts';
import { KEPT, LEASE_MS, type Share, type Task } from './task.ts';

const PROGRAM = fileURLToPath(new URL('worker.ts', import.meta.url));

export interface StormOptions {
  /** Processes that handle the same messages. */
  readonly workers: number;
  /** How many messages each of them has in flight. */
  readonly inFlight: number;
  /** Calls of `handleOnce`, of all workers together. */
  readonly calls: number;
  readonly seed: number;
  readonly databaseUrl: string;
}

/** What a storm has shown. */
export interface StormFigures extends Share {
  readonly seconds: number;
  /** How often a worker was frozen for longer than its leases. */
  readonly standstills: number;
  readonly purged: number;
  /** As the server has counted them. */
  readonly deadlocks: number;
  /** Messages that stay on record and did not succeed, each once. */
  readonly wrong: number;
}

/** How long a worker is frozen, in leases, and how long all of them work in between. */
const STANDSTILL_LEASES = 2;
const BETWEEN_MS = 3_000;

/**
 * Processes that handle the same messages in orders of their own. One of them is frozen at times: others take over
 * its messages, and it settles as a zombie. Beside them a purge deletes what has expired, which then runs again.
 */
export async function storm(
  sql: Sql,
  { workers: count, inFlight, calls, seed, databaseUrl }: StormOptions,
): Promise<StormFigures> {
  const [before] = await deadlocks(sql);
  const startedAt = performance.now();
  const workers = Array.from({ length: count }, (_, number) => {
    const task: Task = {
      databaseUrl,
      inFlight,
      calls: Math.ceil(calls / count),
      seed: seed * count + number,
    };
    return startWorker(task);
  });
  const shares = Promise.all(workers.map(({ share }) => share));
  const ending = new AbortController();
  const beside = Promise.all([standstills(workers, ending.signal), purges(sql, ending.signal)]);
  let total: Share;
  try {
    total = sumOf(await shares);
  } finally {
    ending.abort();
    for (const { child } of workers) child.kill('SIGCONT');
  }
  const [stood, purged] = await beside;
  const [after] = await deadlocks(sql);
  return {
    ...total,
    seconds: (performance.now() - startedAt) / 1_000,
    standstills: stood,
    purged,
    deadlocks: (after?.count ?? 0) - (before?.count ?? 0),
    wrong: await wrong(sql, total),
  };
}

interface Worker {
  readonly child: ChildProcess;
  readonly share: Promise<Share>;
}

function startWorker(task: Task): Worker {
  const child = fork(PROGRAM);
  child.send(task);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a worker ended with code ${String(code)}`);
  });
  const share = Promise.race([once(child, 'message').then(([answer]) => answer as Share), ended]);
  ended.catch(() => undefined);
  return { child, share };
}

async function standstills(workers: readonly Worker[], signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; await pause(BETWEEN_MS, signal); count += 1) {
    const { child } = workers[count % workers.length] as Worker;
    child.kill('SIGSTOP');
    await pause(STANDSTILL_LEASES * LEASE_MS, signal);
    child.kill('SIGCONT');
  }
  return count;
}

async function purges(sql: Sql, signal: AbortSignal): Promise<number> {
  let purged = 0;
  while (await pause(100, signal)) {
    const report = await maintain({ sql, signal });
    if (report.state !== 'busy') purged += report.purged;
  }
  return purged;
}

/** False once it is over. */
function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, true, { signal }).catch(() => false);
}

function deadlocks(sql: Sql): Promise<{ count: number }[]> {
  return sql<{ count: number }[]>`
    select deadlocks::integer as count from pg_stat_database where datname = current_database()`;
}

async function wrong(sql: Sql, { succeeded, unrecorded }: Share): Promise<number> {
  const [row] = await sql<{ records: number; open: number }[]>`
    select count(*)::integer as records, (count(*) filter (where state <> 'succeeded'))::integer as open
    from handle_once.records where scope = ${KEPT}`;
  const { records = 0, open = 0 } = row ?? {};
  const untold = records - open - succeeded;
  return open + Math.max(-untold, untold - unrecorded, 0);
}

function sumOf(shares: readonly Share[]): Share {
  return shares.reduce((sum, share) => ({
    calls: sum.calls + share.calls,
    statements: sum.statements + share.statements,
    requests: sum.requests + share.requests,
    takeovers: sum.takeovers + share.takeovers,
    zombies: sum.zombies + share.zombies,
    succeeded: sum.succeeded + share.succeeded,
    unrecorded: sum.unrecorded + share.unrecorded,
    failed: sum.failed + share.failed,
  }));
}
