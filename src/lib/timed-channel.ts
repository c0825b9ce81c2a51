import { channel } from 'node:diagnostics_channel';
import type { Clock } from './clock.ts';

/** What a channel publishes about something that has ended. */
export interface Timing {
  /** Milliseconds, with fractions. */
  readonly durationMs: number;
  /** Whether it threw. */
  readonly failed: boolean;
}

/**
 * Publishes how long something took, where a subscriber wants to know.
 *
 * It times in the promises that there are: where contexts are tracked, as by OpenTelemetry, each one more costs CPU.
 */
export interface TimedChannel<Facts> {
  /** Returns what to call once it has ended. Undefined without a subscriber. */
  readonly start: (clock: Clock) => ((facts: Facts, failed: boolean) => void) | undefined;
}

/** A channel of `node:diagnostics_channel`. What it publishes is written out: to spread facts takes Node 1 us. */
/* @__NO_SIDE_EFFECTS__ */
export function createTimedChannel<Facts>(
  name: string,
  toMessage: (facts: Facts, durationMs: number, failed: boolean) => Timing,
): TimedChannel<Facts> {
  const published = channel(name);
  return {
    start(clock) {
      if (!published.hasSubscribers) return undefined;
      const startedAt = clock.monotonic();
      return (facts, failed) => {
        published.publish(toMessage(facts, clock.monotonic() - startedAt, failed));
      };
    },
  };
}
