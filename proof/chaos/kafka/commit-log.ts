import type { Admin, Kafka } from 'kafkajs';
import { type ReadMessage, readTopic } from '../../../test/support/kafka-read.ts';

/** Where brokers keep what groups commit. */
export const COMMIT_LOG = '__consumer_offsets';

export interface Commit {
  readonly partition: number;
  readonly offset: number;
}

/** Every commit of a group in a topic, in the order in which its coordinator wrote them. */
export async function readCommitLog(
  kafka: Kafka,
  admin: Admin,
  groupId: string,
  topic: string,
): Promise<Commit[]> {
  const messages = await readTopic(kafka, admin, COMMIT_LOG);
  return messages.flatMap((message) => commitOf(message, groupId, topic) ?? []);
}

/** Other keys, of version 2, tell of a group's members. */
const LAST_COMMIT_VERSION = 1;

/** Key: version, group, topic, partition. Value: version, offset, and what is of no interest here. */
function commitOf({ key, value }: ReadMessage, groupId: string, topic: string): Commit | undefined {
  if (key === null || value === null || key.readInt16BE(0) > LAST_COMMIT_VERSION) return undefined;
  const group = readText(key, 2);
  const name = readText(key, group.end);
  if (group.text !== groupId || name.text !== topic) return undefined;
  return { partition: key.readInt32BE(name.end), offset: Number(value.readBigInt64BE(2)) };
}

function readText(bytes: Buffer, at: number): { readonly text: string; readonly end: number } {
  const end = at + 2 + bytes.readInt16BE(at);
  return { text: bytes.toString('utf8', at + 2, end), end };
}

/** Commits that went back behind an earlier one. */
export function commitsBack(commits: readonly Commit[]): string[] {
  const reached = new Map<number, number>();
  return commits.flatMap(({ partition, offset }) => {
    const before = reached.get(partition) ?? 0;
    reached.set(partition, offset);
    return offset < before ? [`partition ${partition}: ${offset} was committed after ${before}`] : [];
  });
}
