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
  /** To be called when it has ended. Undefined without a subscriber. */
  readonly start: (clock: Clock) => ((facts: Facts, failed: boolean) => void) | undefined;
  readonly timed: <Result>(clock: Clock, facts: Facts, run: () => Promise<Result>) => Promise<Result>;
}

/** A channel of `node:diagnostics_channel`. */
/* @__NO_SIDE_EFFECTS__ */
export function createTimedChannel<Facts extends object>(name: string): TimedChannel<Facts> {
  const published = channel(name);

  function start(clock: Clock): ((facts: Facts, failed: boolean) => void) | undefined {
    if (!published.hasSubscribers) return undefined;
    const startedAt = clock.monotonic();
    return (facts, failed) => {
      const durationMs = clock.monotonic() - startedAt;
      published.publish({ ...facts, durationMs, failed } satisfies Facts & Timing);
    };
  }

  return {
    start,
    timed(clock, facts, run) {
      const ended = start(clock);
      return ended === undefined
        ? run()
        : publishEnd(run(), (failed) => {
            ended(facts, failed);
          });
    },
  };
}

async function publishEnd<Result>(
  running: Promise<Result>,
  ended: (failed: boolean) => void,
): Promise<Result> {
  try {
    const result = await running;
    ended(false);
    return result;
  } catch (error) {
    ended(true);
    throw error;
  }
}
