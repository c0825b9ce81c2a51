/**
 * Writes the migrations into src, so that bundled code needs no files beside it.
 * With --check it writes nothing, and fails when the embedded copy is not current.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const directory = new URL('./', import.meta.url);
const target = new URL('../src/migrations/embedded.generated.ts', import.meta.url);

const migrations = readdirSync(directory)
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .map((file) => {
    const sql = readFileSync(new URL(file, directory), 'utf8');
    const checksum = createHash('sha256').update(sql).digest('hex');
    return { version: Number.parseInt(file, 10), name: file, checksum, sql };
  });

const source = `// Generated from migrations/*.sql by \`npm run migrations:embed\`. Do not edit.
import type { Migration } from './migration.ts';

/** The version of the tables that this package is made for. A bundle that does not migrate has no more than this. */
export const LATEST = ${Math.max(...migrations.map(({ version }) => version))};

export const migrations: readonly Migration[] = ${JSON.stringify(migrations, null, 2)};
`;

if (!process.argv.includes('--check')) {
  writeFileSync(target, source);
} else if (readFileSync(target, 'utf8') !== source) {
  console.error('src/migrations/embedded.generated.ts is not current: run `npm run migrations:embed`');
  process.exitCode = 1;
}
