/**
 * The dashboard in a Hono application, behind a proxy that knows who is who, as oauth2-proxy does.
 *
 *     DATABASE_URL=... DASHBOARD_SECRET=$(openssl rand -hex 32) PORT=8080 npx tsx examples/dashboard/hono.ts
 *     curl -H 'X-Forwarded-User: alice' -H 'X-Forwarded-Groups: on-call' localhost:8080/queue
 */
import { serve } from '@hono/node-server';
import { createDashboard } from 'handle-once/dashboard';
import { Hono } from 'hono';
import postgres from 'postgres';
import { required } from '../environment.ts';

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });

const dashboard = createDashboard({
  sql,
  authorize({ headers }) {
    // Here you would make sure that the proxy alone can send these, and drops those that a visitor sends.
    const name = headers.get('x-forwarded-user');
    const groups = headers.get('x-forwarded-groups')?.split(',') ?? [];
    return name === null ? undefined : { name, rights: groups.includes('on-call') ? ['act'] : [] };
  },
  actions: { secret: required('DASHBOARD_SECRET') },
});

const app = new Hono();
app.all('/queue', (c) => dashboard(c.req.raw)); // its body must not be read before
app.post('/', async (c) => c.json(await c.req.parseBody())); // a form of the application

const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env['PORT'] ?? 0) },
  (address) => {
    console.log('listening on', address);
  },
);
process.once('SIGTERM', () => server.close(() => void sql.end({ timeout: 5 })));
