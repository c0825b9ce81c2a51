import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { packageOf } from '../architecture/source-files.ts';

/**
 * The packages that a published file and its chunks import when they load, without those that a dynamic import loads
 * later. `folder` has the package as `published` built it.
 */
export async function packagesLoadedBy(file: string, folder: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(folder, file)],
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    outdir: folder,
    logLevel: 'error',
  });
  const inputs = new Map(Object.entries(metafile.inputs).map(([path, input]) => [basename(path), input]));
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind, external } of inputs.get(name)?.imports ?? []) {
      if (kind !== 'import-statement') continue;
      if (external !== true) visit(basename(path));
      else if (!path.startsWith('node:')) packages.add(packageOf(path));
    }
  };
  visit(file);
  return [...packages].sort();
}
