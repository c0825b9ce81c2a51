import { channel } from 'node:diagnostics_channel';

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
  readonly timed: <Result>(facts: Facts, run: () => Promise<Result>) => Promise<Result>;
}

/** A channel of `node:diagnostics_channel`. */
export function createTimedChannel<Facts extends object>(name: string): TimedChannel<Facts> {
  const published = channel(name);

  /** Without a promise more than it needs: where contexts are tracked, as by OpenTelemetry, each costs CPU. */
  function publishEnd<Result>(facts: Facts, run: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();

    function publish(failed: boolean): void {
      const durationMs = performance.now() - startedAt;
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
    timed: (facts, run) => (published.hasSubscribers ? publishEnd(facts, run) : run()),
  };
}
