import { GenericContainer, Wait } from 'testcontainers';
import { dockerIsRunning } from './docker.ts';
import { mavenIsInstalled } from './maven-libraries.ts';
import { REDIS_PROGRAM, startRedisProcess } from './redis-process.ts';
import { externalService, NoServiceError, type Service } from './service.ts';

const PORT = 6379;

export async function startRedis(): Promise<Service> {
  const external = externalService('TEST_REDIS_URL');
  if (external) return external;

  if (await dockerIsRunning()) return startRedisContainer();

  if (REDIS_PROGRAM !== undefined && (await mavenIsInstalled())) return startRedisProcess(REDIS_PROGRAM);

  throw new NoServiceError(
    'BullMQ tests need TEST_REDIS_URL, Docker, or Java 17 and Maven on Linux or macOS',
  );
}

async function startRedisContainer(): Promise<Service> {
  const container = await new GenericContainer('redis:7-alpine')
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
    .start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(PORT)}`,
    async stop() {
      await container.stop();
    },
  };
}
