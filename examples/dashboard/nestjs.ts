/**
 * The dashboard in a NestJS application on Express. In `main.ts`, before `listen`, which adds Nest's parsers of bodies:
 * the dashboard reads its forms itself, and a parser leaves nothing to read.
 *
 *     const app = await NestFactory.create(AppModule);
 *     mountDashboard(app, '/queue');
 *     await app.listen(3000);
 *
 * Guards and the global prefix are not for what is mounted so: `authorize` alone decides who sees it.
 */
import { getRequestListener } from '@hono/node-server';
import { type INestApplication, Injectable } from '@nestjs/common';
import { createDashboard, type Visitor } from 'handle-once/dashboard';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sql } from 'postgres';
import { required } from '../environment.ts';

export const SQL = Symbol('SQL');

@Injectable()
export class Staff {
  /** Here you would look up the session of the request, or verify the token that it brings. */
  visitorOf({ headers }: Request): Visitor | undefined {
    const name = headers.get('x-forwarded-user');
    const groups = headers.get('x-forwarded-groups')?.split(',') ?? [];
    return name === null ? undefined : { name, rights: groups.includes('on-call') ? ['act'] : [] };
  }
}

export function mountDashboard(app: INestApplication, path: string): void {
  const dashboard = createDashboard({
    sql: app.get<Sql>(SQL),
    authorize: (request) => app.get(Staff).visitorOf(request),
    actions: { secret: required('DASHBOARD_SECRET') },
  });
  app.use(path, (incoming: IncomingMessage, outgoing: ServerResponse, next: (error: unknown) => void) =>
    getRequestListener(dashboard, { overrideGlobalObjects: false, errorHandler: next })(incoming, outgoing),
  );
}
