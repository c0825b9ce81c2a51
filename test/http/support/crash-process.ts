import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../support/program.ts';
import type { CrashOrder } from './crash-order.ts';

const program = fileURLToPath(new URL('crash-server.ts', import.meta.url));

export interface ServerProcess {
  readonly url: string;
  /** Kills it, if it lives. Resolves with the signal that ended it. */
  stop(): Promise<NodeJS.Signals | null>;
  /** Resolves with the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>;
}

export async function startServer(order: CrashOrder): Promise<ServerProcess> {
  const child = spawn(process.execPath, [programOf(program), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);
  const printed = once(child.stdout, 'data') as Promise<[Buffer]>;
  const [line] = await Promise.race([printed, ended.then(() => ['it ended before it listened'] as const)]);
  return {
    url: line.toString().trim(),
    ended,
    async stop() {
      child.kill('SIGKILL');
      return await ended;
    },
  };
}
