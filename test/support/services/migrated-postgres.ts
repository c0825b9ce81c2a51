import postgres from 'postgres';
import { migrate } from '../../../src/index.ts';
import { createDatabase, databaseUrl, dropDatabases, templateDatabase } from '../databases.ts';
import { startPostgres } from './postgres.ts';
import type { Service } from './service.ts';

/** PostgreSQL with a migrated database to copy, and without any of the run's databases after it. */
export async function startMigratedPostgres(databasePrefix: string): Promise<Service> {
  const server = await startPostgres();
  const template = templateDatabase(databasePrefix);
  await createDatabase(server.url, template);
  const sql = postgres(databaseUrl(server.url, template));
  await migrate(sql);
  await sql.end();
  return {
    url: server.url,
    async stop() {
      await dropDatabases(server.url, databasePrefix);
      await server.stop();
    },
  };
}
