import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const projects = fileURLToPath(new URL('projects', import.meta.url));

/** Packages that the projects import or run, or that the package itself needs. */
const LINKED = [
  '@electric-sql/pglite',
  '@standard-schema/spec',
  '@types/jest',
  '@types/node',
  'jest',
  'ts-jest',
  'ts-node',
  'tsx',
  'typescript',
  'vitest',
  'zod',
];

/** A folder away from the project, with the projects in it and the packed package as users install it. */
export function createWorkspace(packages: string): string {
  const workspace = mkdtempSync(join(tmpdir(), 'handle-once-runtimes-'));
  cpSync(projects, workspace, { recursive: true });
  for (const name of LINKED.filter((linked) => existsSync(join(packages, linked)))) {
    const link = join(workspace, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(packages, name), link, 'junction');
  }
  unpack(join(workspace, 'node_modules'));
  mkdirSync(join(workspace, 'typescript'));
  for (const extension of ['ts', 'mts', 'cts']) {
    writeFileSync(join(workspace, 'typescript', `subpaths.${extension}`), importsOfSubpaths());
  }
  return workspace;
}

/** The package as npm would publish it. */
function unpack(modules: string): void {
  const shell = process.platform === 'win32';
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', modules], {
    cwd: root,
    shell,
  });
  const packed = readdirSync(modules).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xf', packed], { cwd: modules });
  renameSync(join(modules, 'package'), join(modules, 'handle-once'));
}

/** Fails to compile where the types of a subpath are not found, or are `any`. */
function importsOfSubpaths(): string {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>;
  };
  const names = Object.keys(exports).flatMap((path) =>
    path.endsWith('.json') ? [] : [path.replace('.', 'handle-once')],
  );
  const lines = names.map(
    (name, index) =>
      `import * as m${index} from '${name}';\nexport const t${index}: 0 extends 1 & typeof m${index} ? never : true = true;`,
  );
  return `${lines.join('\n')}\n`;
}
