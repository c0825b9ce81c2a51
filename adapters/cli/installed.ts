import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A library of the project that the command is run in; undefined where it has none. */
export async function installed<Module>(name: string): Promise<Module | undefined> {
  const fromProject = createRequire(join(process.cwd(), 'package.json'));
  let path: string;
  try {
    path = fromProject.resolve(name);
  } catch {
    return undefined;
  }
  return (await import(pathToFileURL(path).href)) as Module;
}
