import { GenericContainer, Wait } from 'testcontainers';
import { startContainer } from './container.ts';
import { startNatsProcess } from './nats-process.ts';
import { pipIsInstalled } from './python-package.ts';
import { type Service, startService } from './service.ts';

export function startNats(): Promise<Service> {
  return startService({
    variable: 'TEST_NATS_URL',
    inDocker() {
      const image = new GenericContainer('nats:2.11-alpine').withCommand(['-js']);
      return startContainer(image.withWaitStrategy(Wait.forLogMessage('Server is ready')), 'nats', 4222);
    },
    asProcess: async () => ((await pipIsInstalled()) ? await startNatsProcess() : undefined),
    what: 'NATS tests',
    takes: 'Python with pip',
  });
}
