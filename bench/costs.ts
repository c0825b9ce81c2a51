import { readdirSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';
import type { Rates } from './interleave.ts';

export const COSTS = ['client', 'server', 'wal'] as const;
/** CPU of this process, and of all processes of the database server, in microseconds; WAL in bytes. */
export type Cost = (typeof COSTS)[number];

/** The server's CPU is not known where it cannot be looked at: on another machine or system. */
export type Costs = Readonly<Partial<Record<Cost, number>>>;

/** Reads what has been spent so far. */
export type CostMeter = () => Promise<Costs>;

/** Of this process, and of the server that a client is connected to. */
export async function costMeter(sql: postgres.Sql): Promise<CostMeter> {
  const [row] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const postmaster = statOf(row.pid)?.parent;
  return async () => {
    const [{ wal }] = await sql<[{ wal: number }]>`
      select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as wal`;
    const { user, system } = process.cpuUsage();
    const client = user + system;
    return postmaster === undefined ? { client, wal } : { client, wal, server: serverCpu(postmaster) };
  };
}

/** What each of some messages cost. */
export function costOfEach(before: Costs, after: Costs, messages: number): Costs {
  const entries = COSTS.flatMap((cost) => {
    const [from, to] = [before[cost], after[cost]];
    return from === undefined || to === undefined ? [] : [[cost, (to - from) / messages] as const];
  });
  return Object.fromEntries(entries);
}

/** The costs among the rates of a kind of message, such as `fresh, client`. */
export function costsAsRates(kind: string, costs: Costs): Rates {
  return Object.fromEntries(Object.entries(costs).map(([cost, each]) => [costKind(kind, cost), each]));
}

export function costKind(kind: string, cost: string): string {
  return `${kind}, ${cost}`;
}

interface Stat {
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended. */
  readonly ended: number;
}

/** Linux counts in hundredths of a second. */
const TICK_MICROSECONDS = 10_000;

function statOf(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before them is in brackets, and can have spaces.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const at = (index: number): number => fields[index] ?? 0;
    return {
      parent: at(1),
      own: (at(11) + at(12)) * TICK_MICROSECONDS,
      ended: (at(13) + at(14)) * TICK_MICROSECONDS,
    };
  } catch {
    return undefined;
  }
}

function serverCpu(postmaster: number): number {
  const main = statOf(postmaster);
  const children = readdirSync('/proc')
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === postmaster);
  return [...children].reduce((sum, stat) => sum + (stat?.own ?? 0), (main?.own ?? 0) + (main?.ended ?? 0));
}
