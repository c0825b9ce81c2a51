/** What tells the messages of a partitioned log apart, as Kafka keeps one. */

/** A message's place. Unambiguous, since the last two parts are numbers. */
export function placeOf(topic: string, partition: number, offset: string): string {
  return `${topic}-${partition}-${offset}`;
}

/**
 * The scope of one consumer group: two groups never skip each other's work.
 *
 * The group is encoded, so that the last slash parts it from the scope, and no two pairs make one scope.
 */
export function groupScope(scope: string, groupId: string): string {
  return `${scope}/${encodeURIComponent(groupId)}`;
}

/** The parts of a message that are its own, wherever it stands. */
export interface LogMessage {
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

const NULL = -1;

/**
 * The bytes that make a message this message, whatever its place: timestamp, key and value.
 *
 * A topic that is made again starts at offset 0. By these bytes a new message at an old place is a mismatch, and not a
 * duplicate to be skipped. Lengths come first, so that no two messages make the same bytes.
 */
export function recordBytes({ timestamp, key, value }: LogMessage): Buffer {
  const parts = [Buffer.from(timestamp), key, value];
  const lengths = Buffer.alloc(parts.length * 4);
  parts.forEach((part, index) => lengths.writeInt32BE(part?.length ?? NULL, index * 4));
  return Buffer.concat([lengths, ...parts.filter((part) => part !== null)]);
}
