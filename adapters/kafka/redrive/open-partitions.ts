import { askPatiently, committedIn, endsOf } from '../log/ask-admin.ts';
import type { LetterAdmin } from './kafka-client.ts';

/** A partition that has letters which the group has not passed. */
export interface OpenPartition {
  readonly partition: number;
  readonly end: bigint;
  /** Where it begins, if what the group has committed is not in it any more. */
  readonly oldest: bigint | undefined;
}

interface OpenOptions {
  readonly topic: string;
  readonly groupId: string;
  readonly isOver: () => boolean;
}

export async function openPartitions(
  admin: LetterAdmin,
  { topic, groupId, isOver }: OpenOptions,
): Promise<OpenPartition[]> {
  const ends = (await askPatiently(() => endsOf(admin, topic), isOver)) ?? [];
  const all = ends.map(({ partition }) => partition);
  const committed = await askPatiently(() => committedIn(admin, groupId, topic, all), isOver);
  return ends.flatMap(({ partition, low, high }) => {
    const position = BigInt(committed?.get(partition)?.offset ?? -1);
    const [oldest, end] = [BigInt(low), BigInt(high)];
    const isGone = position >= 0n && position < oldest;
    const isOpen = (position > oldest ? position : oldest) < end;
    return isOpen ? [{ partition, end, oldest: isGone ? oldest : undefined }] : [];
  });
}
