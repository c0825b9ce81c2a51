import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as HandleOncePackage from 'handle-once';
import { build } from 'tsdown';

/** The package as it is published: run from source, each of our inner functions is named anew, half of our own CPU. */
export async function builtPackage(): Promise<typeof HandleOncePackage> {
  const outDir = fileURLToPath(new URL('../node_modules/.cache/handle-once/bench', import.meta.url));
  await build({ outDir, dts: false, logLevel: 'error' });
  return (await import(pathToFileURL(join(outDir, 'index.js')).href)) as typeof HandleOncePackage;
}
