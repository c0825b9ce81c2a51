import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { programOf } from '../../support/program.ts';
import type { WorkerSettings } from './settings.ts';

const program = fileURLToPath(new URL('worker.ts', import.meta.url));

export interface WorkerProcess {
  /** How it ended: the signal, or what it wrote before it failed. */
  readonly ended: Promise<string>;
}

/** Starts a worker in a process of its own, killed at the latest when the test ends. */
export function runWorker(settings: WorkerSettings): WorkerProcess {
  const child = spawn(process.execPath, [programOf(program), JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const exited = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return { ended: exited.then(() => child.signalCode ?? output) };
}
