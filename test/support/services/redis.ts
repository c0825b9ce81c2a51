import { GenericContainer, Wait } from 'testcontainers';
import { startContainer } from './container.ts';
import { mavenIsInstalled } from './maven-libraries.ts';
import { REDIS_PROGRAM, startRedisProcess } from './redis-process.ts';
import { type Service, startService } from './service.ts';

export function startRedis(): Promise<Service> {
  return startService({
    variable: 'TEST_REDIS_URL',
    inDocker() {
      const image = new GenericContainer('redis:7-alpine');
      const ready = Wait.forLogMessage('Ready to accept connections');
      return startContainer(image.withWaitStrategy(ready), 'redis', 6379);
    },
    async asProcess() {
      if (REDIS_PROGRAM === undefined || !(await mavenIsInstalled())) return undefined;
      return await startRedisProcess(REDIS_PROGRAM);
    },
    what: 'BullMQ tests',
    takes: 'Java 17 and Maven on Linux or macOS',
  });
}
