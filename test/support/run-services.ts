import type { Service } from './services/service.ts';

/** What each service is started with. Imported only then: a run that needs none loads nothing of it. */
const STARTS = {
  postgres: async (databasePrefix: string) => {
    const { startMigratedPostgres } = await import('./services/migrated-postgres.ts');
    return startMigratedPostgres(databasePrefix);
  },
  elasticmq: async () => (await import('./services/elasticmq.ts')).startElasticMq(),
  fauxqs: async () => (await import('./services/fauxqs.ts')).startFauxqs(),
  kafka: async () => (await import('./services/kafka.ts')).startKafka(),
  nats: async () => (await import('./services/nats.ts')).startNats(),
  redis: async () => (await import('./services/redis.ts')).startRedis(),
};

export type ServiceName = keyof typeof STARTS;

export interface RunServices {
  /** Where a service is. The first call starts it. */
  urlOf(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** The services of one run of tests: each is started once, when a test first needs it. */
export function runServices(databasePrefix: string): RunServices {
  const started = new Map<string, Promise<Service>>();
  return {
    async urlOf(name) {
      const service = started.get(name) ?? STARTS[name as ServiceName](databasePrefix);
      started.set(name, service);
      return (await service).url;
    },
    async stop() {
      for (const result of await Promise.allSettled(started.values())) {
        if (result.status === 'fulfilled') await result.value.stop();
      }
    },
  };
}
