import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { java } from './java.ts';
import { mavenLibraries } from './maven-libraries.ts';
import { type ServerProcess, startServerProcess, untilItStarts } from './server-process.ts';
import type { Service } from './service.ts';

export interface ElasticMqProcess extends Service {
  /** Gives the server no chance to end well. */
  readonly kill: () => Promise<void>;
  /** Starts it again where it was, with what it had stored. */
  readonly restart: () => Promise<void>;
}

/** Starts ElasticMQ with Java, from libraries that Maven fetches once. It stores queues only in a folder. */
export async function startElasticMqProcess(folder?: string): Promise<ElasticMqProcess> {
  const libraries = await mavenLibraries('elasticmq.pom.xml', 'elasticmq-1.7.1');
  const port = await freePort();
  const storage = folder === undefined ? [] : storedIn(folder);
  const start = (): Promise<ServerProcess> =>
    startServerProcess(
      java(
        libraries,
        '-Xmx256m',
        '-Drest-sqs.bind-hostname=127.0.0.1',
        `-Drest-sqs.bind-port=${port}`,
        '-Dgenerate-node-address=true',
        '-Daws.region=us-east-1',
        '-Daws.accountId=000000000000',
        ...storage,
        'org.elasticmq.server.Main',
      ),
      { ready: /Started SQS rest server, bind address/, stopSignal: 'SIGTERM' },
    );
  let server = await start();
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => server.stop(),
    kill: () => server.kill(),
    async restart() {
      server = await untilItStarts(start);
    },
  };
}

/** Each write is on disk before its answer. */
function storedIn(folder: string): string[] {
  return [
    '-Dmessages-storage.enabled=true',
    `-Dmessages-storage.uri=jdbc:h2:${join(folder, 'messages')};WRITE_DELAY=0`,
  ];
}
