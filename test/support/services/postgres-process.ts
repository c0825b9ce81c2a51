import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { run } from './run.ts';
import { startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { unprivileged } from './unprivileged.ts';

/** Starts PostgreSQL from an installation's folder (the one that has `bin` in it), with a new and empty cluster. */
export async function startPostgresProcess(installation: string): Promise<Service> {
  const temporary = temporaryDirectory('handle-once-postgres-');
  try {
    const data = join(temporary.path, 'data');
    const port = await freePort();
    const command = await unprivileged(installation, temporary.path);

    const cluster = ['--pgdata', data, '--username=postgres', '--auth=trust', '--no-sync'];
    await run(command('bin/initdb', [...cluster, '--encoding=UTF8', '--no-locale']));

    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
    const server = await startServerProcess(
      command('bin/postgres', [
        '-D',
        data,
        '-p',
        String(port),
        ...settings.flatMap((setting) => ['-c', setting]),
      ]),
      { ready: /ready to accept connections/, stopSignal: 'SIGINT' },
    );

    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      async stop() {
        await server.stop();
        temporary.remove();
      },
    };
  } catch (error) {
    temporary.remove();
    throw error;
  }
}
