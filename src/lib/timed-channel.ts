import { channel } from 'node:diagnostics_channel';
import type { Clock } from './clock.ts';

/** What a channel publishes about something that has ended. */
interface Timing {
  /** Milliseconds, with fractions. */
  readonly durationMs: number;
  /** Whether it threw. */
  readonly failed: boolean;
}

/**
 * A channel of `node:diagnostics_channel` that publishes how long something took.
 *
 * It adds no promise: where contexts are tracked, as by OpenTelemetry, each costs CPU. `toMessage` writes the message
 * out, since Node takes 1 us to spread the facts.
 */
/* @__NO_SIDE_EFFECTS__ */
export function createTimedChannel<Facts>(
  name: string,
  toMessage: (facts: Facts, durationMs: number, failed: boolean) => Timing,
) {
  const published = channel(name);
  return {
    /** Returns what to call at the end. Undefined without a subscriber. */
    start(clock: Clock) {
      if (!published.hasSubscribers) return undefined;
      const startedAt = clock.monotonic();
      return (facts: Facts, failed: boolean): void => {
        published.publish(toMessage(facts, clock.monotonic() - startedAt, failed));
      };
    },
  };
}
