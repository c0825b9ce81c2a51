import { GenericContainer, Wait } from 'testcontainers';
import { dockerIsRunning } from './docker.ts';
import { startNatsProcess } from './nats-process.ts';
import { pipIsInstalled } from './python-package.ts';
import { externalService, NoServiceError, type Service } from './service.ts';

const PORT = 4222;

export async function startNats(): Promise<Service> {
  const external = externalService('TEST_NATS_URL');
  if (external) return external;

  if (await dockerIsRunning()) return startNatsContainer();

  if (await pipIsInstalled()) return startNatsProcess();

  throw new NoServiceError('NATS tests need TEST_NATS_URL, Docker, or Python with pip');
}

async function startNatsContainer(): Promise<Service> {
  const container = await new GenericContainer('nats:2.11-alpine')
    .withCommand(['-js'])
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forLogMessage('Server is ready'))
    .start();
  return {
    url: `nats://${container.getHost()}:${container.getMappedPort(PORT)}`,
    async stop() {
      await container.stop();
    },
  };
}
