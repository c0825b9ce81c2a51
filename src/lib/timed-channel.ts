import { channel } from 'node:diagnostics_channel';
import type { Clock } from './clock.ts';

/** What a channel publishes about something that has ended. */
export interface Timing {
  /** Milliseconds, with fractions. */
  readonly durationMs: number;
  /** Whether it threw. */
  readonly failed: boolean;
}

/** Publishes how long something took, where a subscriber wants to know. */
export interface TimedChannel<Facts extends object> {
  readonly hasSubscribers: () => boolean;
  readonly timed: <Result>(clock: Clock, facts: Facts, run: () => Promise<Result>) => Promise<Result>;
}

/** A channel of `node:diagnostics_channel`. */
export function createTimedChannel<Facts extends object>(name: string): TimedChannel<Facts> {
  const published = channel(name);

  /** Without a promise more than it needs: where contexts are tracked, as by OpenTelemetry, each costs CPU. */
  function publishEnd<Result>(clock: Clock, facts: Facts, run: () => Promise<Result>): Promise<Result> {
    const startedAt = clock.monotonic();

    function publish(failed: boolean): void {
      const durationMs = clock.monotonic() - startedAt;
      published.publish({ ...facts, durationMs, failed } satisfies Facts & Timing);
    }

    return run().then(
      (result) => {
        publish(false);
        return result;
      },
      (error: unknown) => {
        publish(true);
        throw error;
      },
    );
  }

  return {
    hasSubscribers: () => published.hasSubscribers,
    timed: (clock, facts, run) => (published.hasSubscribers ? publishEnd(clock, facts, run) : run()),
  };
}
