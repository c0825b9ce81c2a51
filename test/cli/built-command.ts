import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { afterAll, beforeAll } from 'vitest';

/** Beside the packages that it imports. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/**
 * The command as the package has it, built once for the calling file: a process of it starts in a fraction of the time
 * that its sources need. Gives its file, once the tests run.
 */
export function useBuiltCommand(): () => string {
  let outDir = '';
  beforeAll(async () => {
    await mkdir(CACHE, { recursive: true });
    outDir = await mkdtemp(join(CACHE, 'handle-once-cli-'));
    await build({ outDir, dts: false, sourcemap: false, logLevel: 'error' });
  });
  afterAll(() => rm(outDir, { recursive: true }));
  return () => join(outDir, 'cli.js');
}
