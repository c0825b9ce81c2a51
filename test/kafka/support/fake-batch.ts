import type { BatchPayload, FetchedMessage } from '../../../adapters/kafka/kafka-client.ts';

export interface FakeBatch extends BatchPayload {
  /** Every offset that the client was told of. */
  readonly resolved: string[];
  readonly counts: { heartbeats: number; commits: number };
  /** What the client does next; tests replace it. */
  does: {
    heartbeat: () => Promise<void>;
    commit: () => Promise<void>;
    resolve: (offset: string) => void;
    /** Topics with something that is settled and not committed. */
    uncommitted: readonly string[];
    isRunning: boolean;
    isStale: boolean;
  };
}

/** A batch of a client that does as it is told, and can so show what a broker cannot be made to. */
export function fakeBatch(messages: readonly FetchedMessage[], topic = 'orders', partition = 0): FakeBatch {
  const resolved: string[] = [];
  const counts = { heartbeats: 0, commits: 0 };
  const does: FakeBatch['does'] = {
    heartbeat: () => Promise.resolve(),
    commit: () => Promise.resolve(),
    resolve: () => undefined,
    uncommitted: [],
    isRunning: true,
    isStale: false,
  };
  return {
    resolved,
    counts,
    does,
    batch: { topic, partition, messages },
    resolveOffset(offset) {
      does.resolve(offset);
      resolved.push(offset);
    },
    heartbeat() {
      counts.heartbeats += 1;
      return does.heartbeat();
    },
    commitOffsetsIfNecessary() {
      counts.commits += 1;
      return does.commit();
    },
    uncommittedOffsets: () => ({ topics: does.uncommitted }),
    isRunning: () => does.isRunning,
    isStale: () => does.isStale,
  };
}
