import { GenericContainer, Wait } from 'testcontainers';
import { startContainer } from './container.ts';
import { startElasticMqProcess } from './elasticmq-process.ts';
import { mavenIsInstalled } from './maven-libraries.ts';
import { type Service, startService } from './service.ts';

export function startElasticMq(): Promise<Service> {
  return startService({
    variable: 'TEST_SQS_ENDPOINT',
    inDocker() {
      const image = new GenericContainer('softwaremill/elasticmq-native:1.7.1');
      return startContainer(image.withWaitStrategy(Wait.forListeningPorts()), 'http', 9324);
    },
    asProcess: async () => ((await mavenIsInstalled()) ? await startElasticMqProcess() : undefined),
    what: 'SQS tests',
    takes: 'Java 17 and Maven',
  });
}
