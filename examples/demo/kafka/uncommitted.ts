import type { Admin } from 'kafkajs';

/** How many messages of a topic a group has not committed. */
export async function uncommitted(admin: Admin, groupId: string, topic: string): Promise<number> {
  const ends = await admin.fetchTopicOffsets(topic);
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return ends.reduce((sum, { partition, low, high }) => {
    const place = committed?.partitions.find((each) => each.partition === partition);
    // It is negative where nothing has been committed.
    return sum + Number(high) - Math.max(Number(low), Number(place?.offset ?? low));
  }, 0);
}
