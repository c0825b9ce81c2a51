import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createDashboard, type DashboardOptions, type Visitor } from 'handle-once/dashboard';
import { maintain } from 'handle-once/operations';
import { endOnSignals } from './end-on-signals.ts';
import { say } from './say.ts';

const YOU: Visitor = { name: 'you', rights: ['act', 'results'] };

/** Serves the dashboard until Ctrl+C. It asks for no login, since the demo has made all of the data. */
export async function showDashboard(tables: Pick<DashboardOptions, 'sql' | 'databaseSchema'>): Promise<void> {
  const stop = new AbortController();
  endOnSignals({ signal: stop.signal, end: stop.abort.bind(stop) });
  await maintain(tables);
  const dashboard = createDashboard({
    ...tables,
    authorize: ({ url }) => (new URL(url).hostname === '127.0.0.1' ? YOU : undefined),
    actions: { secret: randomBytes(32).toString('hex') },
  });
  const server = createAdaptorServer({ fetch: dashboard });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  say(`the dashboard is at http://127.0.0.1:${(server.address() as AddressInfo).port}, until Ctrl+C`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
}
