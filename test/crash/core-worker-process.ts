import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../../src/index.ts';
import { programOf } from '../support/program.ts';

export type CrashPoint = 'before-claim' | 'after-claim' | 'in-handler' | 'after-effect' | 'after-settle';

export interface WorkerOrder {
  readonly url: string;
  readonly key: string;
  readonly maxDeaths: number;
  readonly dieAt: CrashPoint | null;
  /** Whether the effect carries the attempt's child key, so that its receiver can tell the second from the first. */
  readonly keyedEffect: boolean;
}

const worker = fileURLToPath(new URL('core-worker.ts', import.meta.url));

/** Runs a worker to its end: its outcome, or the signal that killed it. */
export function runWorker(order: WorkerOrder): Promise<Outcome<string> | NodeJS.Signals> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [programOf(worker), JSON.stringify(order)],
      { timeout: 20_000 },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Outcome<string>);
        else if (error.signal && error.killed !== true) resolve(error.signal);
        else reject(new Error(`the worker failed: ${stderr}`, { cause: error }));
      },
    );
  });
}
