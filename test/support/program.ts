import { mkdirSync, renameSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(root, 'node_modules/.cache/handle-once/programs');

/** Of all programs. */
export const PROGRAM = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
} as const satisfies BuildOptions;

const built = new Map<string, string>();

/**
 * A program in TypeScript as one file for Node, which starts in a quarter of the time: no loader, and nothing to
 * compile. Packages are not part of it. It is built once for each process that asks for it.
 */
export function programOf(source: string): string {
  const file = built.get(source) ?? build(source);
  built.set(source, file);
  return file;
}

function build(source: string): string {
  const name = relative(root, resolve(root, source)).replaceAll(/[^\w-]/g, '-');
  const { outfile, finish } = beginProgram(name);
  buildSync({ ...PROGRAM, entryPoints: [resolve(root, source)], outfile });
  return finish();
}

/** Where a program is built, so that no process runs one that another has half written. */
export function beginProgram(name: string): { readonly outfile: string; readonly finish: () => string } {
  const file = join(FOLDER, `${name}.mjs`);
  const outfile = join(FOLDER, `${process.pid}-${name}.mjs`);
  mkdirSync(FOLDER, { recursive: true });
  return {
    outfile,
    finish() {
      renameSync(outfile, file);
      return file;
    },
  };
}
