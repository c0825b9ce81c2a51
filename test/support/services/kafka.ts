import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { dockerIsRunning } from './docker.ts';
import { freePort } from './free-port.ts';
import { startKafkaProcess } from './kafka-process.ts';
import { kafkaProperties } from './kafka-properties.ts';
import { mavenIsInstalled } from './maven-libraries.ts';
import { externalService, NoServiceError, type Service } from './service.ts';

/** Its URL is the list of its brokers, with commas between them. */
export async function startKafka(): Promise<Service> {
  const external = externalService('KAFKA_BROKERS');
  if (external) return external;

  if (await dockerIsRunning()) return startKafkaContainer();

  if (await mavenIsInstalled()) return startKafkaProcess();

  throw new NoServiceError('Kafka tests need KAFKA_BROKERS, Docker, or Java 17 and Maven');
}

async function startKafkaContainer(): Promise<Service> {
  const docker = await getContainerRuntimeClient();
  // The broker tells its clients, of which it is one itself, a single address: it has to hold inside and outside.
  const port = await freePort();
  const url = `${docker.info.containerRuntime.host}:${port}`;
  const addresses = { listen: `0.0.0.0:${port}`, advertised: url, controller: '127.0.0.1:9093' };
  const container = await new GenericContainer('apache/kafka:4.3.0')
    .withExposedPorts({ container: port, host: port })
    .withEnvironment(environment(kafkaProperties(addresses, '/tmp/data')))
    .withWaitStrategy(Wait.forLogMessage('Kafka Server started'))
    .start();
  return {
    url,
    async stop() {
      await container.stop();
    },
  };
}

/** The image reads `node.id` from `KAFKA_NODE_ID`, and all others likewise. */
function environment(properties: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      `KAFKA_${name.replaceAll('.', '_').toUpperCase()}`,
      value,
    ]),
  );
}
