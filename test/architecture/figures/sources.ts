import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

/** A TypeScript file of a checkout, with what it imports of the same checkout, types too. */
export interface Source {
  /** From the root of the checkout. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** The TypeScript files that git has below a folder of a checkout. */
export function sourcesIn(root: string, folder: string): Source[] {
  const listed = execFileSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' });
  return listed
    .split('\n')
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, imports: importsOf(path, text) };
    });
}

/** Test kits had their place in `src` once. */
export function isTestKit({ path }: Source): boolean {
  return /^src\/testing[./]|\/contract\//.test(path);
}

function importsOf(path: string, text: string): string[] {
  return ts
    .preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => posix.join(dirname(path), fileName));
}
