/**
 * The dashboard as a route of Next.js: copy this file to `app/queue/route.ts`. It needs `DATABASE_URL` and
 * `DASHBOARD_SECRET`, which `openssl rand -hex 32` prints.
 */
import { createDashboard, type Dashboard } from 'handle-once/dashboard';
import postgres from 'postgres';

export const dynamic = 'force-dynamic';

let dashboard: Dashboard | undefined;

/** The first request makes the dashboard: `next build` loads this file too, without a database. */
function answer(request: Request): Promise<Response> {
  dashboard ??= createDashboard({
    sql: postgres(process.env['DATABASE_URL'] ?? '', { fetch_types: false }),
    authorize({ headers }) {
      // Here you would ask for the session, such as `await auth()` of Auth.js.
      const name = headers.get('x-forwarded-user');
      const groups = headers.get('x-forwarded-groups')?.split(',') ?? [];
      return name === null ? undefined : { name, rights: groups.includes('on-call') ? ['act'] : [] };
    },
    actions: { secret: process.env['DASHBOARD_SECRET'] ?? '' },
  });
  return dashboard(request);
}

export { answer as GET, answer as POST };
