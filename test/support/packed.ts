import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'tsdown';
import { afterAll, beforeAll } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** A folder outside of the project in which the package was installed as its users do. */
export interface Installed {
  readonly folder: string;
  /** Makes an installed package of this project's one of the folder too. */
  readonly add: (...names: readonly string[]) => Promise<void>;
}

/**
 * The package as it is published, from its tarball, with its own dependencies and nothing else. What npm would fetch
 * is linked, so that the tests need no registry. The types are left out: others check those.
 */
export function useInstalled(): () => Installed {
  let installed: Installed | undefined;
  beforeAll(async () => {
    installed = await install(await mkdtemp(join(tmpdir(), 'handle-once-')));
  });
  afterAll(() => rm(installed?.folder ?? '', { recursive: true, force: true }));
  return () => installed as Installed;
}

async function install(folder: string): Promise<Installed> {
  const modules = join(folder, 'node_modules');
  const package_ = join(modules, 'handle-once');
  await mkdir(package_, { recursive: true });
  await run('tar', ['-xzf', await pack(folder), '-C', package_, '--strip-components', '1']);
  const add = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), join(modules, name));
    }
  };
  const { dependencies } = JSON.parse(await readFile(join(package_, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  await add(...Object.keys(dependencies));
  return { folder, add };
}

/** The tarball, made of a copy: the build of another test may be under way in the project. */
async function pack(folder: string): Promise<string> {
  const copy = join(folder, 'copy');
  await build({ outDir: join(copy, 'dist'), dts: false, sourcemap: false, logLevel: 'error' });
  for (const name of ['package.json', 'README.md', 'LICENSE', 'migrations']) {
    await cp(join(ROOT, name), join(copy, name), { recursive: true });
  }
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: copy,
  });
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  await rm(copy, { recursive: true });
  return join(folder, packed.filename);
}
