import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEBIAN_FOLDERS, debianFile } from '../../../../test/support/services/debian-package.ts';
import { freePort } from '../../../../test/support/services/free-port.ts';
import { type Command, succeeds } from '../../../../test/support/services/run.ts';
import { type ServerProcess, startServerProcess } from '../../../../test/support/services/server-process.ts';
import { temporaryDirectory } from '../../../../test/support/services/temporary-directory.ts';
import { unprivileged } from '../../../../test/support/services/unprivileged.ts';
import { NotRunError } from '../not-run-error.ts';
import type { Act, Scene } from '../scene.ts';
import { killServer } from './database.ts';
import { BETWEEN, oneOf, startWorkers } from './workers.ts';

const PROGRAM = 'usr/sbin/pgbouncer';
/** Of its name resolver, which few systems have. */
const LIBRARIES = `usr/lib/${DEBIAN_FOLDERS[process.arch] ?? ''}`;

interface Pooler {
  readonly port: number;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** PgBouncer in transaction mode is in the way to the database. A worker, the server and it are killed in turn. */
export const killBehindPooler: Act = async (scene, steps) => {
  const pooler = await startPooler(scene);
  scene.toPostgres.redirect({ host: '127.0.0.1', port: pooler.port });
  startWorkers(scene);
  const faults = [killWorker, killDatabase, killPooler];
  for (let step = 1; step <= steps; step += 1) {
    for (const fault of faults) {
      await scene.progress(BETWEEN);
      await fault(scene, pooler);
    }
  }
  return undefined;
};

async function killWorker(scene: Scene): Promise<void> {
  const worker = oneOf(scene);
  scene.log(`worker ${worker} is killed`);
  await scene.during('killed', () => scene.fleet.kill(worker), worker);
  scene.join();
}

async function killDatabase(scene: Scene): Promise<void> {
  scene.log('PostgreSQL is killed');
  await scene.during('database', () => killServer(scene));
}

async function killPooler(scene: Scene, pooler: Pooler): Promise<void> {
  scene.log('PgBouncer is killed');
  await scene.during('database', async () => {
    await pooler.kill();
    await sleep(scene.random() * 2_000);
    await pooler.restart();
  });
}

async function startPooler({ postgres: { url }, onClose }: Scene): Promise<Pooler> {
  const [folder, libraries] = await Promise.all([
    debianFile('pgbouncer', PROGRAM),
    debianFile('libc-ares2', LIBRARIES),
  ]).catch((error: unknown) => {
    throw new NotRunError(`pgbouncer cannot be had from Debian: ${String(error)}`);
  });
  const temporary = temporaryDirectory('handle-once-pgbouncer-');
  onClose(() => {
    temporary.remove();
  });
  const programs = await unprivileged(folder, temporary.path);
  const env = { ...process.env, LD_LIBRARY_PATH: join(libraries, LIBRARIES) };
  const pgbouncer = (argument: string): Command => ({ ...programs(PROGRAM, [argument]), env });
  if (!(await succeeds(pgbouncer('-V')))) {
    throw new NotRunError('pgbouncer lacks a library of this system');
  }
  const port = await freePort();
  const configuration = join(temporary.path, 'pgbouncer.ini');
  await writeFile(configuration, settings(Number(new URL(url).port), port));
  const start = (): Promise<ServerProcess> =>
    startServerProcess(pgbouncer(configuration), { ready: /process up/, stopSignal: 'SIGINT' });
  let server = await start();
  onClose(() => server.kill());
  return {
    port,
    kill: () => server.kill(),
    async restart() {
      server = await start();
    },
  };
}

function settings(serverPort: number, port: number): string {
  return `[databases]
* = host=127.0.0.1 port=${serverPort} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
server_login_retry = 1
`;
}
