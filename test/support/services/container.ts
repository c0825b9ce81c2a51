import type { GenericContainer } from 'testcontainers';
import type { Service } from './service.ts';

/** Starts a container with one port, which its URL ends with. */
export async function startContainer(
  container: GenericContainer,
  scheme: string,
  port: number,
): Promise<Service> {
  const started = await container.withExposedPorts(port).start();
  return {
    url: `${scheme}://${started.getHost()}:${started.getMappedPort(port)}`,
    async stop() {
      await started.stop();
    },
  };
}
