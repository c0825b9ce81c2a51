import type { Clock } from '../../../src/adapter-kit.ts';
import type { Fetch } from '../log/log-client.ts';
import type { PartitionTracker } from '../partition/partition-tracker.ts';
import { type RefusalContext, emitRefusal } from '../partition/refusal.ts';

/** A client sends a heartbeat only when its own interval is over: to ask more often costs nothing. */
const TICK_MS = 500;
const COMMIT_EVERY_MS = 1_000;

export interface KeepAliveOptions extends RefusalContext {
  readonly clock: Clock;
  readonly tracker: PartitionTracker;
}

/** Heartbeats and commits on a timer: a client may send none while a handler runs, and the group would evict us. */
export function startKeepAlive(fetch: Fetch, options: KeepAliveOptions) {
  const { clock, tracker, generation } = options;
  let resolveStopping: () => void = () => undefined;
  const stopping = new Promise<void>((resolve) => {
    resolveStopping = resolve;
  });
  let committedAt = clock.monotonic();
  let underWay: Promise<void> | undefined;

  /**
   * Sends a heartbeat when it is due, and commits what is acknowledged. Never throws.
   *
   * One at a time: the client's requests are shared too, and a broker that hangs would get many.
   */
  function beat(): Promise<void> {
    underWay ??= send().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  async function send(): Promise<void> {
    await attempt('heartbeat', () => fetch.heartbeat());
    if (clock.monotonic() - committedAt < COMMIT_EVERY_MS || generation.isOver) return;
    committedAt = clock.monotonic();
    await attempt('commit', () => tracker.commit(fetch));
  }

  async function attempt(verb: 'heartbeat' | 'commit', call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      emitRefusal(verb, error, options);
    }
  }

  const timer = clock.setRepeating(() => {
    if (!fetch.isRunning()) resolveStopping();
    void beat();
  }, TICK_MS);
  return {
    beat,
    /** Resolves when the consumer begins to stop. */
    stopping,
    /** Resolves when nothing is under way any more. */
    async end(): Promise<void> {
      clock.clearTimer(timer);
      await underWay;
    },
  };
}
