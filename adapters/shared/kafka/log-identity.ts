import { type AnyHandleOnce, type HandleOnce } from '../../../src/index.ts';

/** The coordinates of a message. Unambiguous, since the last two parts are numbers. */
export function coordinatesOf(topic: string, partition: number, offset: string): string {
  return `${topic}-${partition}-${offset}`;
}

/** The same with the records of one consumer group: two groups never skip each other's work. */
export function inGroup(handleOnce: AnyHandleOnce, groupId: string): HandleOnce {
  return handleOnce.inScope({ kind: 'kafka', name: groupId }) as HandleOnce;
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

export type LogKey<Message> = (message: Message, topic: string, partition: number) => string | undefined;

/** The key of a message, its coordinates or one of the user, and what has to be the same whenever the key comes. */
export function identityOf<Message extends LogMessage & { readonly offset: string }>(
  topic: string,
  partition: number,
  message: Message,
  ownKey: LogKey<Message> | undefined,
) {
  if (ownKey === undefined) {
    return {
      key: () => coordinatesOf(topic, partition, message.offset),
      content: () => recordBytes(message),
    };
  }
  // The value alone: a producer that wrote twice gave each its own timestamp.
  return { key: () => ownKey(message, topic, partition), content: () => message.value };
}
