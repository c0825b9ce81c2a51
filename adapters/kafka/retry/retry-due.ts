import type { Clock } from '../../../src/adapter-kit.ts';
import type { KafkaMessage, Place, Placed } from '../log/log-client.ts';
import { idOf } from '../log/place-id.ts';

/** Where a message is due every few milliseconds, its partition is not fetched for each. */
const LONGEST_ROUND_MS = 1_000;

export interface DueMessages {
  readonly due: readonly KafkaMessage[];
  /** When the first of the others is due, in monotonic milliseconds. Undefined where there are none. */
  readonly nextAt: number | undefined;
}

/** How long messages of retry topics have waited. */
export function createRetryWaits(clock: Clock) {
  /** Since when the messages of the last fetch are known, by partition, and by offset and timestamp. */
  const seen = new Map<string, ReadonlyMap<string, number>>();
  return {
    /**
     * Which messages of a fetch have waited for `delayMs`: from their timestamps on, by this machine's clock, and at
     * the latest from when they were first seen here. A clock that is behind never makes a message wait longer. The
     * next look is up to a tenth of the delay later.
     */
    split(place: Place, messages: readonly KafkaMessage[], delayMs: number): DueMessages {
      const now = clock.monotonic();
      const known = seen.get(idOf(place));
      const current = new Map<string, number>();
      const due: KafkaMessage[] = [];
      let shortest = Infinity;
      for (const message of messages) {
        const seenAt = known?.get(nameOf(message)) ?? now;
        current.set(nameOf(message), seenAt);
        const waitMs = Math.min(Number(message.timestamp) + delayMs - clock.wall(), seenAt + delayMs - now);
        if (waitMs <= 0) due.push(message);
        else shortest = Math.min(shortest, waitMs);
      }
      seen.set(idOf(place), current);
      if (shortest === Infinity) return { due, nextAt: undefined };
      return { due, nextAt: now + Math.max(shortest, Math.min(delayMs / 10, LONGEST_ROUND_MS)) };
    },
    /**
     * Milliseconds that a message lacks whose timestamp called it due, counted from when it was first seen here. From
     * half of the delay on it lacks nothing: it was in its topic before it was seen.
     */
    lacking({ message, ...place }: Placed, delayMs: number): number {
      const now = clock.monotonic();
      const seenAt = seen.get(idOf(place))?.get(nameOf(message)) ?? now;
      const lackingMs = seenAt + delayMs - now;
      return lackingMs > delayMs / 2 ? lackingMs : 0;
    },
  };
}

function nameOf({ offset, timestamp }: KafkaMessage): string {
  return `${offset}@${timestamp}`;
}
