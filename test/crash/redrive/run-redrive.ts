import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { programOf } from '../../support/program.ts';
import type { RedriveSettings } from './settings.ts';

const program = fileURLToPath(new URL('redrive.ts', import.meta.url));

/** Runs a redrive in a process of its own. How it ended: the signal, or what it wrote before it failed. */
export async function runRedrive(settings: RedriveSettings): Promise<string> {
  const child = spawn(process.execPath, [programOf(program), JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return child.signalCode ?? output;
}
