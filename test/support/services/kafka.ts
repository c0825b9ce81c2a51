import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { freePort } from './free-port.ts';
import { startKafkaProcess } from './kafka-process.ts';
import { kafkaProperties } from './kafka-properties.ts';
import { mavenIsInstalled } from './maven-libraries.ts';
import { type Service, startService } from './service.ts';

/** Its URL is the list of its brokers, with commas between them. */
export function startKafka(): Promise<Service> {
  return startService({
    variable: 'KAFKA_BROKERS',
    inDocker: startKafkaContainer,
    asProcess: async () => ((await mavenIsInstalled()) ? await startKafkaProcess() : undefined),
    what: 'Kafka tests',
    takes: 'Java 17 and Maven',
  });
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
