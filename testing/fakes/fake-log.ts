import { systemClock } from '../../src/lib/clock.ts';

/** A message of a test; a string stands for its UTF-8 bytes. */
export interface FakeMessage {
  /** Default: none. */
  readonly key?: string | Buffer | null | undefined;
  /** Null for a tombstone. */
  readonly value: string | Buffer | null;
  /** Default: none. */
  readonly headers?: Readonly<Record<string, string | Buffer>> | undefined;
}

/** A message in the shape in which kafkajs fetches one. */
export interface FetchedFakeMessage {
  /** Null where the test gave none. */
  readonly key: Buffer | null;
  /** Null for a tombstone. */
  readonly value: Buffer | null;
  /** Milliseconds since 1970, as text. */
  readonly timestamp: string;
  /** Always 0. */
  readonly attributes: number;
  /** A whole number, as text. */
  readonly offset: string;
  /** Empty where the test gave none. */
  readonly headers: Record<string, Buffer>;
}

/** One partition: what is in it, and how far its one group has come. */
export interface FakePartition {
  readonly topic: string;
  readonly partition: number;
  readonly messages: FetchedFakeMessage[];
  /** The offset that is fetched next. */
  position: number;
  /** The offset that a restart begins at. */
  committed: number | undefined;
  /** How often its position was moved by a seek. */
  seeks: number;
}

export function createFakeLog() {
  const partitions = new Map<string, FakePartition>();

  function partitionOf(topic: string, partition: number): FakePartition {
    const id = JSON.stringify([topic, partition]);
    const found = partitions.get(id);
    if (found !== undefined) return found;
    const made = { topic, partition, messages: [], position: 0, committed: undefined, seeks: 0 };
    partitions.set(id, made);
    return made;
  }

  return {
    partitionOf,
    partitions: () => [...partitions.values()],
    append(topic: string, partition: number, { key = null, value, headers = {} }: FakeMessage): string {
      const { messages } = partitionOf(topic, partition);
      const offset = String(messages.length);
      messages.push({
        key: bytesOf(key),
        value: bytesOf(value),
        timestamp: String(systemClock.wall()),
        attributes: 0,
        offset,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, header]) => [name, Buffer.from(header as string)]),
        ),
      });
      return offset;
    },
  };
}

function bytesOf(content: string | Buffer | null): Buffer | null {
  return content === null ? null : Buffer.from(content as string);
}
