import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

export const CACHE = 'node_modules/.cache/handle-once/weight';

/** This checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Builds the modules of a checkout as npm gets them, but for types and maps, and returns their folder. Chunks that
 * subpaths share can weigh more than their sources: a bundler drops a chunk only as a whole, or what in it is pure.
 */
export async function published(root = ROOT): Promise<string> {
  const outDir = join(root, CACHE, 'published');
  await build({ cwd: root, outDir, dts: false, sourcemap: false, logLevel: 'silent' });
  return outDir;
}
