import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { run } from './run.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { unprivileged } from './unprivileged.ts';

export interface PostgresProcess extends Service {
  /** Ends the server as a crash does: what it had not written to disk is lost. */
  crash(): Promise<void>;
  /** Starts it again on the same data. */
  restart(): Promise<void>;
}

/** Starts PostgreSQL from an installation's folder (the one that has `bin` in it), with a new and empty cluster. */
export async function startPostgresProcess(installation: string): Promise<PostgresProcess> {
  const temporary = temporaryDirectory('handle-once-postgres-');
  try {
    const data = join(temporary.path, 'data');
    const port = await freePort();
    const command = await unprivileged(installation, temporary.path);

    const cluster = ['--pgdata', data, '--username=postgres', '--auth=trust', '--no-sync'];
    await run(command('bin/initdb', [...cluster, '--encoding=UTF8', '--no-locale']));

    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
    const options = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    const start = (): Promise<ServerProcess> =>
      startServerProcess(command('bin/postgres', options), {
        ready: /ready to accept connections/,
        stopSignal: 'SIGINT',
      });
    let server = await start();

    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      crash: () => server.end('SIGQUIT'),
      async restart() {
        server = await start();
      },
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
