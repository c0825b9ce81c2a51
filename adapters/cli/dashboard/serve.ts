import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { getRequestListener } from '@hono/node-server';
import { createDashboard, type Right } from '../../dashboard/index.ts';
import type { TablesOptions } from '../../operations/index.ts';
import { inOneLine } from '../one-line.ts';
import { printable } from '../printable.ts';
import { UsageError } from '../errors.ts';
import { signIn } from './sign-in.ts';

export interface ServeOptions {
  readonly tables: TablesOptions;
  readonly port: number;
  readonly rights: readonly Right[];
  readonly signal: AbortSignal;
}

/** Serves the dashboard on this host until the signal. Calls `onReady` with its address, which has the token. */
export async function serve(
  { tables: { sql, databaseSchema }, port: asked, rights, signal }: ServeOptions,
  onReady: (url: string) => void,
): Promise<void> {
  const token = randomBytes(32).toString('base64url');
  const visitor = { name: `${userInfo().username} on ${hostname()}`.slice(0, 200), rights };
  const dashboard = createDashboard({
    ...{ sql, databaseSchema },
    authorize: (request) => signIn({ port, token, visitor }, request),
    actions: rights.includes('act') ? { secret: randomBytes(32).toString('base64url') } : undefined,
  });
  const listener = getRequestListener(dashboard, {
    overrideGlobalObjects: false,
    errorHandler: (error) => {
      process.stderr.write(`handle-once: a page failed: ${printable(inOneLine(error))}\n`);
      return new Response('This page failed: see the output of the command.\n', { status: 500 });
    },
  });
  const server = createServer((request, response) => void listener(request, response));
  await once(server.listen(asked, '127.0.0.1'), 'listening').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--port ${asked} cannot be opened (${code}): choose another, or leave it out`);
  });
  const { port } = server.address() as AddressInfo;
  onReady(`http://127.0.0.1:${port}/?token=${token}`);
  if (!signal.aborted) await once(signal, 'abort');
  server.close();
  server.closeAllConnections();
}
