import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../support/program.ts';

export interface WorkerOrder {
  readonly scene: 'type-error' | 'one-error' | 'storm' | 'database';
  /** Of the database. */
  readonly url: string;
  readonly report: 'nothing' | 'onEvent' | 'console';
  /** Default: by itself. */
  readonly end?: 'exit' | 'error';
}

const worker = fileURLToPath(new URL('worker.ts', import.meta.url));

/** Runs the worker to its end. Gives what it wrote to stderr, line by line. */
export function stderrOf(
  order: Partial<WorkerOrder> & Pick<WorkerOrder, 'scene'>,
  environment: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const argument = JSON.stringify({ url: '', report: 'nothing', ...order });
  return new Promise((resolve, reject) => {
    const args = [programOf(worker), argument];
    execFile(
      process.execPath,
      args,
      { timeout: 50_000, env: { ...process.env, ...environment } },
      (error, _, stderr) => {
        if (error === null || order.end === 'error')
          resolve(stderr.split('\n').filter((line) => line !== ''));
        else reject(new Error(`the worker failed: ${stderr}`, { cause: error }));
      },
    );
  });
}
