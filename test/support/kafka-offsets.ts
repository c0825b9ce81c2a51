import type { Admin } from 'kafkajs';

/** One number for each partition, in their order. */
export type Offsets = number[];

function inOrder(partitions: { partition: number; offset: string }[]): Offsets {
  return partitions
    .toSorted((one, other) => one.partition - other.partition)
    .map(({ offset }) => Number(offset));
}

/** Where a group goes on; -1 where it has committed nothing. */
export async function committedOffsets(admin: Admin, groupId: string, topic: string): Promise<Offsets> {
  const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
  if (answer === undefined || answer.partitions.length === 0)
    throw new Error(`no partition of ${topic} is known`);
  return inOrder(answer.partitions);
}

/** What the next message's offset will be. */
export async function endOffsets(admin: Admin, topic: string): Promise<Offsets> {
  return inOrder(await admin.fetchTopicOffsets(topic));
}
