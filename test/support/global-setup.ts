import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/index.ts';
import { createDatabase, databaseUrl, dropDatabases } from './databases.ts';
import { startElasticMq } from './services/elasticmq.ts';
import { startFauxqs } from './services/fauxqs.ts';
import { startKafka } from './services/kafka.ts';
import { startPostgres } from './services/postgres.ts';
import { NoServiceError } from './services/service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** What the names of this run's databases begin with: two runs can share a server. */
    databasePrefix: string;
    templateDatabase: string;
    sqsEndpoints: { elasticmq: string; fauxqs: string };
    kafkaBrokers: string[];
  }
}

/** Starts the services once for all test files; vitest calls what it returns after the last of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const starting = [startPostgres(), startElasticMq(), startFauxqs(), startKafka()] as const;
  const stopAll = async () => {
    for (const result of await Promise.allSettled(starting)) {
      if (result.status === 'fulfilled') await result.value.stop();
    }
  };

  try {
    const [{ url }, elasticmq, fauxqs, kafka] = await Promise.all(starting);
    const databasePrefix = `handle_once_${randomBytes(4).toString('hex')}_`;
    const templateDatabase = `${databasePrefix}template`;
    await createTemplate(url, templateDatabase);

    project.provide('postgresUrl', url);
    project.provide('databasePrefix', databasePrefix);
    project.provide('templateDatabase', templateDatabase);
    project.provide('sqsEndpoints', { elasticmq: elasticmq.url, fauxqs: fauxqs.url });
    project.provide('kafkaBrokers', kafka.url.split(','));

    return async () => {
      await dropDatabases(url, databasePrefix);
      await stopAll();
    };
  } catch (error) {
    await stopAll();
    if (!(error instanceof NoServiceError)) throw error;
    // Thrown, it would be lost between a stack and "No test files found".
    console.error(error.message);
    process.exit(1);
  }
}

async function createTemplate(url: string, name: string): Promise<void> {
  await createDatabase(url, name);
  const sql = postgres(databaseUrl(url, name));
  await migrate(sql);
  await sql.end();
}
