import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { PARTITIONS } from './environment.ts';

const TRIES = 100;

/** Until its partitions have leaders: kafkajs's own wait fails at once where the broker does not know them yet. */
export async function createTopic(admin: Admin, topic: string): Promise<void> {
  await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS }], waitForLeaders: false });
  for (let tries = 1; !(await hasLeaders(admin, topic)); tries += 1) {
    if (tries === TRIES) throw new Error(`Kafka has not made the topic ${topic} in ${TRIES / 5} s`);
    await sleep(200);
  }
}

async function hasLeaders(admin: Admin, topic: string): Promise<boolean> {
  const found = await admin.fetchTopicMetadata({ topics: [topic] }).catch(() => undefined);
  const partitions = found?.topics[0]?.partitions ?? [];
  return partitions.length === PARTITIONS && partitions.every(({ leader }) => leader >= 0);
}
