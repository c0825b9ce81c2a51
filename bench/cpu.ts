import { readdirSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';

/** CPU that has been spent so far, in microseconds. */
export interface Cpu {
  readonly client: number;
  /**
   * Of all processes of the database server. Undefined where they cannot be looked at: on another machine or system.
   */
  readonly server: number | undefined;
}

/** Reads the CPU of this process and of the server that a client is connected to. */
export async function cpuMeter(sql: postgres.Sql): Promise<() => Cpu> {
  const [row] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const postmaster = statOf(row.pid)?.parent;
  return () => {
    const { user, system } = process.cpuUsage();
    return { client: user + system, server: postmaster === undefined ? undefined : serverCpu(postmaster) };
  };
}

export function cpuBetween(before: Cpu, after: Cpu): Cpu {
  const server =
    before.server === undefined || after.server === undefined ? undefined : after.server - before.server;
  return { client: after.client - before.client, server };
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
