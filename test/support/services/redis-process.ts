import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { mavenFiles, mavenIsInstalled } from './maven-libraries.ts';
import { succeeds } from './run.ts';
import { startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';

/** The programs in the library `embedded-redis`. */
const IN_LIBRARY: Readonly<Record<string, string>> = {
  'linux-x64': 'redis-server-6.2.6-v5-linux-amd64',
  'linux-arm64': 'redis-server-6.2.7-linux-arm64',
  'darwin-x64': 'redis-server-6.2.6-v5-darwin-amd64',
  'darwin-arm64': 'redis-server-6.2.6-v5-darwin-arm64',
};

const ON_PATH = ['redis-server', 'valkey-server'];

/** A program that is installed. */
export async function redisOnPath(): Promise<string | undefined> {
  for (const file of ON_PATH) {
    if (await succeeds({ file, args: ['--version'] })) return file;
  }
  return undefined;
}

/** A program that Maven fetches once. */
export async function redisOfMaven(): Promise<string | undefined> {
  const program = IN_LIBRARY[`${process.platform}-${process.arch}`];
  if (program === undefined || !(await mavenIsInstalled())) return undefined;
  const file = join(await mavenFiles('redis.pom.xml', 'redis-1.4.3'), program);
  await chmod(file, 0o755);
  return file;
}

/** Starts Redis, which keeps nothing on disk. */
export async function startRedisProcess(file: string): Promise<Service> {
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const { stop } = await startServerProcess(
    { file, args: settings },
    { ready: /Ready to accept connections/, stopSignal: 'SIGTERM' },
  );
  return { url: `redis://127.0.0.1:${port}`, stop };
}
