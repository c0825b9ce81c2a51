import { GenericContainer, Wait } from 'testcontainers';
import { startContainer } from './container.ts';
import { redisOfMaven, redisOnPath, startRedisProcess } from './redis-process.ts';
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
      const file = (await redisOnPath()) ?? (await redisOfMaven());
      return file === undefined ? undefined : await startRedisProcess(file);
    },
    what: 'Redis tests',
    takes: 'redis-server or valkey-server on the PATH, or Java 17 and Maven on Linux or macOS',
  });
}
