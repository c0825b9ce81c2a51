import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaAdmin, PartitionOffset } from './kafkajs-types.ts';

/*
 * Questions to an admin client, asked again where the answer is to be had soon. kafkajs does so for consumers, and not
 * for its admin client.
 */

const TRIES = 20;
const WAIT_MS = 500;

interface PartitionEnds extends PartitionOffset {
  readonly low: string;
  readonly high: string;
}

const never = (): boolean => false;

/** What a group has committed in every partition of some topics. `isOver`: whether nobody waits for it any more. */
export async function askCommitted(
  admin: Pick<KafkaAdmin, 'fetchOffsets'>,
  groupId: string,
  topics: readonly string[],
  isOver = never,
): Promise<{ readonly topic: string; readonly partitions: readonly PartitionOffset[] }[]> {
  return await askPatiently(async () => {
    const answer = await admin.fetchOffsets({ groupId, topics: [...topics] });
    return topics.map((topic) => {
      const partitions = answer.find((of) => of.topic === topic)?.partitions ?? [];
      return { topic, partitions: known(topic, partitions) };
    });
  }, isOver);
}

/** Where every partition of a topic begins and ends. */
export async function askEnds(
  admin: Pick<KafkaAdmin, 'fetchTopicOffsets'>,
  topic: string,
  isOver = never,
): Promise<readonly PartitionEnds[]> {
  return await askPatiently(async () => known(topic, await admin.fetchTopicOffsets(topic)), isOver);
}

/** A client whose metadata does not have the topic yet answers as if it had no partitions. */
function known<Partition>(topic: string, partitions: readonly Partition[]): readonly Partition[] {
  if (partitions.length > 0) return partitions;
  throw Object.assign(new Error(`the admin client knows no partition of ${topic}`), { retriable: true });
}

/** A broker that has just started loads its groups. */
async function askPatiently<T>(ask: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES || isOver() || !isRetriable(error)) throw error;
    }
    await sleep(WAIT_MS);
  }
}

function isRetriable(error: unknown): boolean {
  return error instanceof Error && 'retriable' in error && error.retriable === true;
}
