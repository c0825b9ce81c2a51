import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { run } from './run.ts';
import { type ServerProcess, startServerProcess, untilItStarts } from './server-process.ts';
import type { Service } from './service.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { unprivileged } from './unprivileged.ts';

/** Of the server, by their names. */
export type PostgresSettings = Readonly<Record<string, string>>;

export interface PostgresOptions {
  /** Beside those of every server of the tests. */
  readonly settings?: PostgresSettings;
  /** Where the server is. Default: a temporary folder. */
  readonly folder?: string;
  /** The data of a server that is shut down: this one is the standby of that one, and starts on a copy. */
  readonly standbyOf?: string;
}

export interface PostgresProcess extends Service {
  /** The folder of its data. */
  readonly data: string;
  /** Ends the server as a crash does: what it had not written to disk is lost. */
  crash(): Promise<void>;
  /** Kills the server itself. Its sessions end by themselves, when they notice. */
  kill(): Promise<void>;
  /** Ends the server well, and keeps its data. */
  shutDown(): Promise<void>;
  /** Starts it again on the same data, with other settings where they are given. */
  restart(settings?: PostgresSettings): Promise<void>;
  /** Whether it has not ended, by whatever cause. */
  isRunning(): boolean;
}

const SETTINGS: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
};

/** As the server takes them. */
export function settingsAsArguments(settings: PostgresSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Starts PostgreSQL from an installation's folder (the one that has `bin` in it), with a new and empty cluster. */
export async function startPostgresProcess(
  installation: string,
  { settings: firstSettings = {}, folder, standbyOf }: PostgresOptions = {},
): Promise<PostgresProcess> {
  const temporary = temporaryDirectory('handle-once-postgres-');
  try {
    const data = join(folder ?? temporary.path, 'data');
    const port = await freePort();
    const command = await unprivileged(installation, temporary.path);

    if (standbyOf === undefined) {
      const cluster = ['--pgdata', data, '--username=postgres', '--auth=trust', '--no-sync'];
      await run(command('bin/initdb', [...cluster, '--encoding=UTF8', '--no-locale']));
    } else {
      await run({ file: 'cp', args: ['-a', standbyOf, data] });
      await writeFile(join(data, 'standby.signal'), '');
    }

    let settings = firstSettings;
    const start = (): Promise<ServerProcess> => {
      const options = settingsAsArguments({ ...SETTINGS, ...settings });
      return startServerProcess(command('bin/postgres', ['-D', data, '-p', String(port), ...options]), {
        ready: /ready to accept (read-only )?connections/,
        stopSignal: 'SIGINT',
      });
    };
    let server = await start();

    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      data,
      crash: () => server.end('SIGQUIT'),
      kill: () => server.kill(),
      shutDown: () => server.stop(),
      isRunning: () => server.isRunning(),
      async restart(others = settings) {
        settings = others;
        // The memory of a server that was killed is in use until its last session has ended.
        server = await untilItStarts(start);
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
