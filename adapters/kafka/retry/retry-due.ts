import type { Clock } from '../../../src/adapter-kit.ts';
import type { KafkaMessage } from '../client/log-client.ts';
import type { PartitionTracker } from '../partition/partition-tracker.ts';

/** Where a message is due every few milliseconds, its partition is not fetched for each. */
const LONGEST_ROUND_MS = 1_000;

export interface DueMessages {
  readonly due: readonly KafkaMessage[];
  /** When the first of the others is due, in monotonic milliseconds. Undefined where there are none. */
  readonly nextAt: number | undefined;
}

/** Which messages of a partition have waited for `delayMs`. */
export type SplitByTime = (
  tracker: PartitionTracker,
  messages: readonly KafkaMessage[],
  delayMs: number,
) => DueMessages;

/**
 * A message is due `delayMs` after its timestamp, by this machine's clock, and at the latest `delayMs` after it was
 * first seen here: a wrong clock never makes it wait longer. The next look is up to a tenth of the delay later.
 */
export function createSplitByTime(clock: Clock): SplitByTime {
  /** Since when the messages that wait are known, by place and timestamp. */
  const seen = new WeakMap<PartitionTracker, ReadonlyMap<string, number>>();
  return (tracker, messages, delayMs) => {
    const now = clock.monotonic();
    const known = seen.get(tracker);
    const waiting = new Map<string, number>();
    const due: KafkaMessage[] = [];
    let shortest = Infinity;
    for (const message of messages) {
      const { offset, timestamp } = message;
      const id = `${offset}@${timestamp}`;
      const seenAt = known?.get(id) ?? now;
      const waitMs = Math.min(Number(timestamp) + delayMs - clock.wall(), seenAt + delayMs - now);
      if (waitMs <= 0) {
        due.push(message);
        continue;
      }
      waiting.set(id, seenAt);
      shortest = Math.min(shortest, waitMs);
    }
    seen.set(tracker, waiting);
    if (waiting.size === 0) return { due, nextAt: undefined };
    return { due, nextAt: now + Math.max(shortest, Math.min(delayMs / 10, LONGEST_ROUND_MS)) };
  };
}
