import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onExit } from './on-exit.ts';

export interface TemporaryDirectory {
  readonly path: string;
  remove(): void;
}

export function temporaryDirectory(prefix: string): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), prefix));
  const removeFiles = () => {
    // A killed server's last children can still be writing.
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  const cancel = onExit(removeFiles);
  return {
    path,
    remove() {
      cancel();
      removeFiles();
    },
  };
}
