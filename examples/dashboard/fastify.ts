/**
 * The dashboard in a Fastify application. It is a plugin, so that it has a parser of its own: it reads its forms
 * itself, from text.
 *
 *     DATABASE_URL=... DASHBOARD_SECRET=$(openssl rand -hex 32) PORT=8080 npx tsx examples/dashboard/fastify.ts
 *     curl -H 'X-Forwarded-User: alice' -H 'X-Forwarded-Groups: on-call' localhost:8080/queue
 */
import { fastify } from 'fastify';
import { createDashboard } from 'handle-once/dashboard';
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

const FORM = 'application/x-www-form-urlencoded';
const app = fastify();
// That of the application, as @fastify/formbody adds one.
app.addContentTypeParser<string>(FORM, { parseAs: 'string' }, (_request, body, done) => {
  done(null, Object.fromEntries(new URLSearchParams(body)));
});
app.post('/', ({ body }) => body);

app.register((scope, _options, registered) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<string>(FORM, { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  scope.all('/queue', ({ method, url, headers, body }) => {
    const init = { method, headers: headers as Record<string, string>, body: body as string };
    return dashboard(new Request(new URL(url, 'http://localhost'), init));
  });
  registered();
});

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 0) });
console.log('listening on', app.server.address());
process.once('SIGTERM', () => void app.close().then(() => sql.end({ timeout: 5 })));
