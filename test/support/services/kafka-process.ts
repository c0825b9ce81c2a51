import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { java } from './java.ts';
import { kafkaProperties } from './kafka-properties.ts';
import { mavenLibraries } from './maven-libraries.ts';
import { run } from './run.ts';
import { startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const CLUSTER_ID = 'handle-once-test-kafka';

// Warnings, and that it has started.
const LOG = '-Dorg.slf4j.simpleLogger';
const QUIET = [`${LOG}.defaultLogLevel=warn`, `${LOG}.log.kafka.server.KafkaRaftServer=info`];

export interface KafkaProcess extends Service {
  /** Ends the broker as a power cut would. */
  readonly kill: () => Promise<void>;
  /** Starts a killed broker again, with the data and at the address that it had. */
  readonly restart: () => Promise<void>;
}

/** Starts Kafka with Java, from libraries that Maven fetches once: a new and empty cluster of one broker. */
export async function startKafkaProcess(): Promise<KafkaProcess> {
  const libraries = await mavenLibraries('kafka.pom.xml', 'kafka-4.3.0');
  const temporary = temporaryDirectory('handle-once-kafka-');
  try {
    const [port, controllerPort] = await Promise.all([freePort(), freePort()]);
    const url = `127.0.0.1:${port}`;
    const addresses = { listen: url, advertised: url, controller: `127.0.0.1:${controllerPort}` };
    const properties = Object.entries(kafkaProperties(addresses, join(temporary.path, 'data')));
    const configuration = join(temporary.path, 'server.properties');
    await writeFile(configuration, properties.map((property) => `${property.join('=')}\n`).join(''));

    await run(java(libraries, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', configuration));
    const start = () =>
      startServerProcess(java(libraries, '-Xmx512m', ...QUIET, 'kafka.Kafka', configuration), {
        ready: /Kafka Server started/,
        stopSignal: 'SIGTERM',
      });
    let server = await start();

    return {
      url,
      kill: () => server.kill(),
      async restart() {
        server = await start();
      },
      async stop() {
        await server.stop();
        temporary.remove();
      },
    };
  } catch (error) {
    temporary.remove();
    throw error;
  }
}
