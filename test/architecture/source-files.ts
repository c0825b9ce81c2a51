import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, type Metafile } from 'esbuild';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Import {
  /** The file that imports, from the project's root. */
  readonly from: string;
  /** A file from the project's root, or the name of a package or builtin as it is written. */
  readonly to: string;
  readonly relative: boolean;
}

/** The TypeScript files of a folder of the project; none when the folder is not there. */
export function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.split(sep).includes('node_modules'))
    .map((name) => join(folder, name).replaceAll(sep, '/'));
}

/** Everything that a file imports or exports from elsewhere, types too. */
export function importsOf(file: string): Import[] {
  return scan(file, readFileSync(join(root, file), 'utf8'));
}

/** What importing each file loads: packages and builtins of its whole graph of project files. Types load nothing. */
export function loadedBy(entries: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const { inputs } = buildSync({
    ...{ entryPoints: [...entries], absWorkingDir: root, bundle: true, packages: 'external' },
    ...{ platform: 'node', format: 'esm', outdir: 'never-written', write: false, metafile: true },
  }).metafile;
  return new Map(entries.map((entry) => [entry, packagesFrom(entry, inputs)]));
}

function packagesFrom(entry: string, inputs: Metafile['inputs']): Set<string> {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path, external } of inputs[file]?.imports ?? []) {
      if (external === true) packages.add(path);
      else visit(path);
    }
  };
  visit(entry);
  return packages;
}

function scan(from: string, text: string): Import[] {
  return ts.preProcessFile(text).importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith('.')) return { from, to: fileName, relative: false };
    const target = relative(root, resolve(root, dirname(from), fileName));
    return { from, to: target.replaceAll(sep, '/'), relative: true };
  });
}

/** The package that an import names, without its subpath. */
export function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
