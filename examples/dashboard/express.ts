/**
 * The dashboard in an Express application. It comes before the parsers of bodies: it reads its forms itself, and a
 * parser leaves nothing to read.
 *
 *     DATABASE_URL=... DASHBOARD_SECRET=$(openssl rand -hex 32) PORT=8080 npx tsx examples/dashboard/express.ts
 *     curl -H 'X-Forwarded-User: alice' -H 'X-Forwarded-Groups: on-call' localhost:8080/queue
 */
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import { createDashboard, type Visitor } from 'handle-once/dashboard';
import postgres from 'postgres';
import { required } from '../environment.ts';

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });

const visitors = new WeakMap<Request, Visitor | undefined>();
const dashboard = createDashboard({
  sql,
  authorize: (request) => visitors.get(request),
  actions: { secret: required('DASHBOARD_SECRET') },
});

/** Here you would take the user of the session: `request.session` or, with Passport, `request.user`. */
function visitorOf(request: express.Request): Visitor | undefined {
  const name = request.get('x-forwarded-user');
  const isOnCall = request.get('x-forwarded-groups')?.split(',').includes('on-call') === true;
  return name === undefined ? undefined : { name, rights: isOnCall ? ['act'] : [] };
}

const app = express();
app.use('/queue', (incoming, outgoing, next) => {
  const listener = getRequestListener(
    (request) => {
      visitors.set(request, visitorOf(incoming));
      return dashboard(request);
    },
    { overrideGlobalObjects: false, errorHandler: next },
  );
  return listener(incoming, outgoing);
});
app.use(express.json(), express.urlencoded()); // those of the application
app.post('/', ({ body }, response) => void response.json(body));

const server = app.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  console.log('listening on', server.address());
});
process.once('SIGTERM', () => server.close(() => void sql.end({ timeout: 5 })));
