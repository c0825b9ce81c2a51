import { java } from './java.ts';
import { mavenLibraries } from './maven-libraries.ts';
import { startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';

/** Starts ElasticMQ with Java, from libraries that Maven fetches once. */
export async function startElasticMqProcess(): Promise<Service> {
  const libraries = await mavenLibraries('elasticmq.pom.xml', 'elasticmq-1.7.1');
  const server = await startServerProcess(
    java(
      libraries,
      '-Xmx256m',
      '-Drest-sqs.bind-hostname=127.0.0.1',
      '-Drest-sqs.bind-port=0',
      '-Dgenerate-node-address=true',
      '-Daws.region=us-east-1',
      '-Daws.accountId=000000000000',
      'org.elasticmq.server.Main',
    ),
    { ready: /Started SQS rest server, bind address (127\.0\.0\.1:\d+)/, stopSignal: 'SIGTERM' },
  );
  return { url: `http://${server.ready[1]}`, stop: server.stop };
}
