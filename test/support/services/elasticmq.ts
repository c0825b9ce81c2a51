import { GenericContainer, Wait } from 'testcontainers';
import { dockerIsRunning } from './docker.ts';
import { startElasticMqProcess } from './elasticmq-process.ts';
import { mavenIsInstalled } from './maven-libraries.ts';
import { externalService, NoServiceError, type Service } from './service.ts';

const PORT = 9324;

export async function startElasticMq(): Promise<Service> {
  const external = externalService('TEST_SQS_ENDPOINT');
  if (external) return external;

  if (await dockerIsRunning()) return startElasticMqContainer();

  if (await mavenIsInstalled()) return startElasticMqProcess();

  throw new NoServiceError('SQS tests need TEST_SQS_ENDPOINT, Docker, or Java 17 and Maven');
}

async function startElasticMqContainer(): Promise<Service> {
  const container = await new GenericContainer('softwaremill/elasticmq-native:1.7.1')
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  return {
    url: `http://${container.getHost()}:${container.getMappedPort(PORT)}`,
    async stop() {
      await container.stop();
    },
  };
}
