import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type RunServices, runServices } from './run-services.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for services. */
    servicesUrl: string;
    /** What the names of this run's databases begin with: two runs can share a server. */
    databasePrefix: string;
  }
}

/**
 * Lets test files ask for services; vitest calls what it returns after the last of them. Projects inherit this setup:
 * that of the root serves them all.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!project.isRootProject()) return undefined;
  const databasePrefix = `handle_once_${randomBytes(4).toString('hex')}_`;
  const services = runServices(databasePrefix);
  let ending: Promise<never> | undefined;
  const server = createServer((request, response) => {
    services.urlOf((request.url ?? '').slice(1)).then(
      (url) => response.end(url),
      (error: unknown) => (ending ??= endRun(services, error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  project.provide('servicesUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  project.provide('databasePrefix', databasePrefix);
  return async () => {
    server.close();
    server.closeAllConnections();
    await services.stop();
  };
}

/** Without a service its test files cannot even load: one line about it, not one failure for each of them. */
async function endRun(services: RunServices, error: unknown): Promise<never> {
  console.error(error instanceof Error ? error.message : error);
  await services.stop();
  process.exit(1);
}
