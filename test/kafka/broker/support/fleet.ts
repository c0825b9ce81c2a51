import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onExit } from '../../../support/services/on-exit.ts';
import type { ChaosSettings, WorkerReport } from './chaos-settings.ts';

/** kafkajs 2.2.4 calls `unref` on a dead socket each time that it finds its broker away. */
const QUIET = ['HandleOnceWarning', 'MaxListenersExceededWarning'].map((type) => `--disable-warning=${type}`);
const PROGRAM = fileURLToPath(new URL('chaos-worker.ts', import.meta.url));

export interface TimedReport {
  readonly worker: number;
  readonly report: WorkerReport;
}

/** Consumers of one group, each in a process of its own. Knows nothing of the test runner. */
export interface Fleet {
  /** Those that run, in the order in which they joined. */
  alive(): number[];
  readonly killed: readonly number[];
  /** What the workers wrote to their error output, and those that ended by themselves. */
  readonly failures: readonly string[];
  /** What the workers reported, in the order in which it came. */
  readonly reports: readonly TimedReport[];
  /** Starts a worker. Returns its number. */
  join(): number;
  /** Ends a worker as a deploy does, and waits for that. */
  leave(worker: number): Promise<void>;
  /** Ends a worker as a power cut does. */
  kill(worker: number): Promise<void>;
  /** Makes a worker stand still, and go on. */
  stop(worker: number): void;
  go(worker: number): void;
  /** Kills all that still run. */
  end(): Promise<void>;
}

export function startFleet(shared: Omit<ChaosSettings, 'worker'>): Fleet {
  const children = new Map<number, ChildProcess>();
  const killed: number[] = [];
  const failures: string[] = [];
  const reports: TimedReport[] = [];
  let started = 0;

  async function end(worker: number, signal: NodeJS.Signals): Promise<void> {
    const child = children.get(worker);
    children.delete(worker);
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  function kill(worker: number): Promise<void> {
    killed.push(worker);
    return end(worker, 'SIGKILL');
  }

  return {
    alive: () => [...children.keys()],
    ...{ killed, failures, reports, kill },
    join() {
      started += 1;
      const worker = started;
      const settings: ChaosSettings = { ...shared, worker };
      const args = [...QUIET, '--import', 'tsx', PROGRAM, JSON.stringify(settings)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
      const cancel = onExit(() => child.kill('SIGKILL'));
      child.stderr?.on('data', (chunk: Buffer) => failures.push(`worker ${worker}: ${chunk.toString()}`));
      child.on('message', (report) => reports.push({ worker, report: report as WorkerReport }));
      child.once('exit', (code) => {
        cancel();
        if (children.delete(worker)) failures.push(`worker ${worker} ended by itself, with code ${code}`);
      });
      children.set(worker, child);
      return worker;
    },
    leave: (worker) => end(worker, 'SIGTERM'),
    stop(worker) {
      children.get(worker)?.kill('SIGSTOP');
    },
    go(worker) {
      children.get(worker)?.kill('SIGCONT');
    },
    async end() {
      await Promise.all([...children.keys()].map(kill));
    },
  };
}
