import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { java } from './java.ts';
import { type KafkaAddresses, kafkaProperties } from './kafka-properties.ts';
import { mavenLibraries } from './maven-libraries.ts';
import { run } from './run.ts';
import { startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const CLUSTER_ID = 'handle-once-test-kafka';

// Warnings, and that it has started.
const LOG = '-Dorg.slf4j.simpleLogger';
const QUIET = [`${LOG}.defaultLogLevel=warn`, `${LOG}.log.kafka.server.KafkaRaftServer=info`];

export interface KafkaBroker {
  /** Ends the broker as a power cut would. */
  readonly kill: () => Promise<void>;
  /** Starts a killed broker again, with the data and at the address that it had. */
  readonly restart: () => Promise<void>;
}

export interface KafkaProcess extends Service, KafkaBroker {}

/** Brokers of one cluster, all of them controllers. Its URL is the list of their addresses. */
export interface KafkaCluster extends Service {
  /** That of node 1 first. */
  readonly brokers: readonly KafkaBroker[];
}

/** Starts Kafka with Java, from libraries that Maven fetches once: a new and empty cluster of one broker. */
export async function startKafkaProcess(): Promise<KafkaProcess> {
  const { url, stop, brokers } = await startKafkaCluster(1);
  const [broker] = brokers;
  if (broker === undefined) throw new Error('A cluster has a broker');
  return { url, stop, kill: broker.kill, restart: broker.restart };
}

/** The same of several brokers: each topic is on up to three, and one of three may be away. */
export async function startKafkaCluster(size: number): Promise<KafkaCluster> {
  const libraries = await mavenLibraries('kafka.pom.xml', 'kafka-4.3.0');
  const temporary = temporaryDirectory('handle-once-kafka-');
  try {
    const addresses = await freeAddresses(size);
    const controllers = addresses.map(({ controller }) => controller);
    // None is ready before the most of them are.
    const brokers = await Promise.all(
      addresses.map(async (of, index) => {
        const id = index + 1;
        const properties = kafkaProperties(of, join(temporary.path, `data-${id}`), { id, controllers });
        const configuration = join(temporary.path, `server-${id}.properties`);
        return startBroker(libraries, properties, configuration);
      }),
    );
    return {
      url: addresses.map(({ advertised }) => advertised).join(','),
      brokers,
      async stop() {
        await Promise.all(brokers.map((broker) => broker.stop()));
        temporary.remove();
      },
    };
  } catch (error) {
    temporary.remove();
    throw error;
  }
}

async function freeAddresses(size: number): Promise<KafkaAddresses[]> {
  const ports = await Promise.all(Array.from({ length: 2 * size }, freePort));
  return Array.from({ length: size }, (_, index) => {
    const [url, controller] = ports.slice(2 * index).map((port) => `127.0.0.1:${port}`);
    return { listen: url ?? '', advertised: url ?? '', controller: controller ?? '' };
  });
}

async function startBroker(
  libraries: string,
  properties: Record<string, string>,
  configuration: string,
): Promise<KafkaBroker & Pick<Service, 'stop'>> {
  const lines = Object.entries(properties).map((property) => `${property.join('=')}\n`);
  await writeFile(configuration, lines.join(''));
  await run(java(libraries, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', configuration));
  const start = () =>
    startServerProcess(java(libraries, '-Xmx512m', ...QUIET, 'kafka.Kafka', configuration), {
      ready: /Kafka Server started/,
      stopSignal: 'SIGTERM',
    });
  let server = await start();
  return {
    kill: () => server.kill(),
    async restart() {
      server = await start();
    },
    stop: () => server.stop(),
  };
}
