import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The worker processes of one trial. */
export interface WorkerPool {
  /** Gives one worker the word that it waits for. Resolves when it has begun. */
  begin(worker: number): Promise<void>;
  /** Ends one worker as a crash does: it cannot finish anything. */
  kill(worker: number): Promise<void>;
  /** Lets the workers finish their messages. */
  stop(): Promise<void>;
  killAll(): Promise<void>;
}

/** Resolves when all of them are ready to begin. They end with a kill when the signal aborts. */
export async function startWorkers(
  file: URL,
  workers: readonly number[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<WorkerPool> {
  const children = new Map(
    workers.map((worker) => [
      worker,
      fork(file, {
        env: { ...process.env, ...environment, DEMO_WORKER: String(worker) },
        signal,
        killSignal: 'SIGKILL',
      }),
    ]),
  );

  async function endAll(signal: NodeJS.Signals): Promise<void> {
    await Promise.all(Array.from(children.values(), (child) => end(child, signal)));
  }

  try {
    await Promise.all([...children].map(([worker, child]) => says('ready', worker, child)));
  } catch (error) {
    await endAll('SIGKILL');
    throw error;
  }
  return {
    async begin(worker) {
      const child = children.get(worker);
      if (child === undefined) return;
      child.send('begin');
      await says('begun', worker, child);
    },
    async kill(worker) {
      const child = children.get(worker);
      if (child !== undefined) await end(child, 'SIGKILL');
    },
    stop: () => endAll('SIGTERM'),
    killAll: () => endAll('SIGKILL'),
  };
}

function says(word: 'ready' | 'begun', worker: number, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('message', () => {
      resolve();
    });
    child.once('error', reject);
    child.once('exit', () => {
      reject(new Error(`worker ${worker} ended before it was ${word}`));
    });
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}
