import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { programOf } from '../support/program.ts';

export interface RunningProcess {
  /** How it ended: the signal, or what it wrote before it failed. */
  readonly ended: Promise<string>;
}

/**
 * Starts a program with its settings in a process of its own, killed at the latest when the test ends. Tests that run
 * side by side give the `onTestFinished` of their own.
 */
export function runProcess(program: string, settings: object, onFinished = onTestFinished): RunningProcess {
  const child = spawn(process.execPath, [programOf(program), JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const exited = once(child, 'close');
  onFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return { ended: exited.then(() => child.signalCode ?? output) };
}
