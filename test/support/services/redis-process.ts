import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { mavenFiles } from './maven-libraries.ts';
import { startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';

/** The programs in the library `embedded-redis`. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'linux-x64': 'redis-server-6.2.6-v5-linux-amd64',
  'linux-arm64': 'redis-server-6.2.7-linux-arm64',
  'darwin-x64': 'redis-server-6.2.6-v5-darwin-amd64',
  'darwin-arm64': 'redis-server-6.2.6-v5-darwin-arm64',
};

/** The program for this platform, if there is one. */
export const REDIS_PROGRAM = PROGRAMS[`${process.platform}-${process.arch}`];

/** Starts Redis from a program that Maven fetches once. It keeps nothing on disk. */
export async function startRedisProcess(program: string): Promise<Service> {
  const file = join(await mavenFiles('redis.pom.xml', 'redis-1.4.3'), program);
  await chmod(file, 0o755);
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const { stop } = await startServerProcess(
    { file, args: settings },
    { ready: /Ready to accept connections/, stopSignal: 'SIGTERM' },
  );
  return { url: `redis://127.0.0.1:${port}`, stop };
}
