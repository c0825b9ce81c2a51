import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { programOf } from './program.ts';
import { onExit } from './services/on-exit.ts';

/** Of Node, for a worker that prints only what is wrong. */
const QUIET = ['--disable-warning=HandleOnceWarning'];

export interface FromWorker<Report> {
  readonly worker: number;
  readonly report: Report;
}

/** Workers, each in a process of its own. Knows nothing of the test runner. */
export interface Fleet<Report, Settings> {
  /** Those that run, in the order in which they joined. */
  alive(): number[];
  readonly killed: readonly number[];
  /** What the workers wrote to their error output, and those that ended by themselves. */
  readonly failures: readonly string[];
  /** What the workers reported, in the order in which it came. */
  readonly reports: readonly FromWorker<Report>[];
  /** Starts a worker. Returns its number. */
  join(settings: Settings, environment?: NodeJS.ProcessEnv): number;
  /** Ends a worker as a deploy does, and waits for that. */
  leave(worker: number): Promise<void>;
  /** Ends a worker as a power cut does. */
  kill(worker: number): Promise<void>;
  /** Freezes a worker, and lets it go on. */
  stop(worker: number): void;
  go(worker: number): void;
  /** Kills all that still run. */
  end(): Promise<void>;
}

/** Workers of one program, which is bundled. Its only argument is its settings, with its number, as JSON. */
export function startFleet<Report, Settings extends object>(
  program: string,
  flags: readonly string[] = [],
): Fleet<Report, Settings> {
  const file = programOf(program);
  const children = new Map<number, ChildProcess>();
  const killed: number[] = [];
  const failures: string[] = [];
  const reports: FromWorker<Report>[] = [];
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
    join(settings, environment = {}) {
      started += 1;
      const worker = started;
      const argument = JSON.stringify({ ...settings, worker });
      const child = spawn(process.execPath, [...QUIET, ...flags, file, argument], {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { ...process.env, ...environment },
      });
      const cancel = onExit(() => child.kill('SIGKILL'));
      child.stderr?.on('data', (chunk: Buffer) => failures.push(`worker ${worker}: ${chunk.toString()}`));
      child.on('message', (report) => reports.push({ worker, report: report as Report }));
      child.once('exit', (code) => {
        cancel();
        if (children.delete(worker)) failures.push(`worker ${worker} ended by itself, with code ${code}`);
      });
      children.set(worker, child);
      return worker;
    },
    leave(worker) {
      // A frozen one would never end.
      children.get(worker)?.kill('SIGCONT');
      return end(worker, 'SIGTERM');
    },
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
