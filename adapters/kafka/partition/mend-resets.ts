import type { LogAdmin } from '../log/log-admin.ts';
import type { LogConsumer } from '../log/log-client.ts';
import { committedIn } from '../log/ask-admin.ts';
import type { Generation } from './generation.ts';
import type { PartitionTracker } from './partition-tracker.ts';
import { NOT_COMMITTED, startOf } from '../log/start-of.ts';

export interface MendOptions {
  readonly client: Pick<LogConsumer, 'commit' | 'moveTo'>;
  readonly generation: Generation;
  readonly admin: LogAdmin;
  readonly groupId: string;
}

interface Ends {
  readonly partition: number;
  readonly low: string;
  readonly high: string;
}

/**
 * Sends a client back that has gone to the end of partitions, since its positions are not in the log any more: kafkajs
 * does so with `fromBeginning: false`, and commits that the group has no position. A restart before the next message
 * would skip what is left of the log.
 */
export async function mendResets(
  topic: string,
  trackers: readonly PartitionTracker[],
  ends: readonly Ends[],
  { client, generation, admin, groupId }: MendOptions,
): Promise<void> {
  const lost = trackers.flatMap((tracker) => {
    const { position, partition, hasCommitted } = tracker;
    const found = ends.find((of) => of.partition === partition);
    if (position === undefined || !hasCommitted || found === undefined) return [];
    const start = startOf(String(position), found, undefined);
    return start === undefined ? [] : [{ tracker, position, oldest: start.position }];
  });
  if (lost.length === 0) return;
  const partitions = lost.map(({ tracker }) => tracker.partition);
  const committed = await committedIn(admin, groupId, topic, partitions);
  for (const { tracker, position, oldest } of lost) {
    // Else the client reads on from the old position.
    if (committed.get(tracker.partition)?.offset !== NOT_COMMITTED) continue;
    if (generation.isOver || tracker.position !== position) continue;
    await client.commit(tracker, oldest);
    client.moveTo(tracker, oldest);
  }
}
