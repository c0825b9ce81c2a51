import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Folder } from './folder.ts';

/** Longer than any test may take. */
const SILENCE_MS = 30_000;

/** Runs one of the two files that register tests. A process that logs no more hangs in a mutant: it is ended. */
export async function runVitest(name: 'cover' | 'try-mutants', { path, logPath }: Folder): Promise<void> {
  writeFileSync(logPath, '');
  const output = openSync(join(path, 'output'), 'w');
  const child = spawn('npx', ['vitest', 'run', '--config', 'proof/mutation/vitest.config.ts', name], {
    env: { ...process.env, MUTATION_FOLDER: path },
    // A group of its own, with its workers.
    detached: true,
    stdio: ['ignore', output, output],
  });
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const interrupted = (): void => {
    end();
    process.exit(1);
  };
  process.once('SIGINT', interrupted);
  const watch = setInterval(() => {
    const { size, mtimeMs } = statSync(logPath);
    if (size > 0 && Date.now() - mtimeMs > SILENCE_MS) end();
  }, 1_000);
  await once(child, 'exit');
  clearInterval(watch);
  process.off('SIGINT', interrupted);
}
