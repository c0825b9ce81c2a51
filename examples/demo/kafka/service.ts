import { startKafka } from '../../../test/support/services/kafka.ts';
import { externalService, NoServiceError, type Service } from '../../../test/support/services/service.ts';
import type { DemoService } from '../service.ts';
import { createClient } from './client.ts';

/** `KAFKA_BROKERS` if it is set, or else a Kafka of the demo's own. */
export async function startService(): Promise<DemoService> {
  const given = externalService('KAFKA_BROKERS');
  if (given === undefined) return { ...(await startOwn()), isBorrowed: false };
  await answers(given.url);
  return { ...given, isBorrowed: true };
}

async function startOwn(): Promise<Service> {
  try {
    return await startKafka();
  } catch (error) {
    if (!(error instanceof NoServiceError)) throw error;
    throw new Error('the Kafka demo needs KAFKA_BROKERS, or Docker, or Java 17 and Maven', { cause: error });
  }
}

/** Asked with the usual patience, an address that is wrong would take ten seconds to say so. */
async function answers(brokers: string): Promise<void> {
  const admin = createClient(brokers, { retries: 1 }).admin();
  try {
    await admin.connect();
  } catch (error) {
    throw new Error(`no Kafka answers at KAFKA_BROKERS, ${brokers}`, { cause: error });
  }
  await admin.disconnect();
}
