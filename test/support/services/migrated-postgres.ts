import postgres from 'postgres';
import { migrate } from '../../../src/index.ts';
import { createDatabase, databaseUrl, dropDatabases, templateDatabase } from '../databases.ts';
import { startPostgres } from './postgres.ts';
import type { Service } from './service.ts';

/** What a crash loses is tested on servers of its own. On this one thousands of tests would wait for the disk. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' };

/** PostgreSQL with a migrated database to copy, and without any of the run's databases after it. */
export async function startMigratedPostgres(databasePrefix: string): Promise<Service> {
  const server = await startPostgres(NOT_DURABLE);
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
