import type { BatchPayload, FetchedMessage, Offsets } from '../../../adapters/kafka/log/kafkajs-types.ts';

export interface FakeBatch extends BatchPayload {
  /** Every offset that the client was told of. */
  readonly resolved: string[];
  /** Every position that was committed. */
  readonly committed: string[];
  /** How often each was asked for, also where it failed. */
  readonly counts: { heartbeats: number; commits: number };
  /** What the client does next; tests replace it. */
  does: {
    heartbeat: () => Promise<void>;
    commit: (offsets: Offsets) => Promise<void>;
    resolve: (offset: string) => void;
    isRunning: boolean;
    isStale: boolean;
  };
}

export interface BatchParts {
  readonly topic?: string;
  readonly partition?: number;
  /** The offset that was asked for. By default that of the first message. */
  readonly from?: number;
  /** The last offset that was read. By default that of the last message. */
  readonly last?: number;
  /** Where the partition ends. */
  readonly end?: number;
}

/** A batch of a client that does as it is told, and can so show what a broker cannot be made to. */
export function fakeBatch(
  messages: readonly FetchedMessage[],
  { topic = 'orders', partition = 0, from, last, end = 1_000 }: BatchParts = {},
): FakeBatch {
  const resolved: string[] = [];
  const committed: string[] = [];
  const counts = { heartbeats: 0, commits: 0 };
  const does: FakeBatch['does'] = {
    heartbeat: () => Promise.resolve(),
    commit: () => Promise.resolve(),
    resolve: () => undefined,
    isRunning: true,
    isStale: false,
  };
  const batch = {
    topic,
    partition,
    messages,
    highWatermark: String(end),
    lastOffset: () => String(last ?? messages.at(-1)?.offset ?? end - 1),
  };
  return {
    resolved,
    committed,
    counts,
    does,
    batch: from === undefined ? batch : Object.assign(batch, { fetchedOffset: String(from) }),
    resolveOffset(offset) {
      does.resolve(offset);
      resolved.push(offset);
    },
    heartbeat() {
      counts.heartbeats += 1;
      return does.heartbeat();
    },
    async commitOffsetsIfNecessary(offsets) {
      counts.commits += 1;
      await does.commit(offsets);
      for (const { partitions } of offsets.topics) committed.push(...partitions.map(({ offset }) => offset));
    },
    isRunning: () => does.isRunning,
    isStale: () => does.isStale,
  };
}
