import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';

/** For the temporary files of an example. Readable for the user that PostgreSQL runs as. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'demo-test-'));
  chmodSync(path, 0o755);
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

/** Whoever adopts the processes of a dead parent may take a moment to see them end. */
export async function noProcessIsLeftOf(group: number): Promise<void> {
  await vi.waitFor(
    () => {
      expect(() => process.kill(-group, 0)).toThrow('ESRCH');
    },
    { timeout: 5_000 },
  );
}
