import type { RunHealth } from './run.ts';
import type { StoreReach } from '../shared/store-health.ts';

/** What a worker knows about itself. */
export interface SqsHealth {
  /**
   * Whether its process is worth keeping. False if it has begun no receive for two minutes although it had room. It
   * stays true when a queue or a database is down: a restart does not help then.
   */
  readonly live: boolean;
  /**
   * Whether messages are handled now: it is started, its receives succeed, and the store is reachable. It is also false
   * if a call is overdue for five seconds, or was given up, and the queue has answered no call since.
   */
  readonly ready: boolean;
  /** Whether the store can be used, by its last answer; `unknown` before the first. */
  readonly store: 'reachable' | 'unreachable' | 'unknown';
  /** How receives have progressed since the last start. */
  readonly queue: {
    /** As given. */
    readonly url: string;
    /** When it last answered a receive, with messages or without. Undefined before. */
    readonly answeredAt: Date | undefined;
    /** When the last message was handled, whatever became of it. Undefined before. */
    readonly handledAt: Date | undefined;
    /** Messages that wait for a handler, or have one. */
    readonly inFlight: number;
  };
}

/** `run` is undefined where the worker is not started. */
export function healthOf(url: string, store: StoreReach, run: RunHealth | undefined): SqsHealth {
  const isReceiving = run?.isTurning === true && !run.isFailing;
  return {
    live: run?.isTurning ?? true,
    ready: isReceiving && store === 'reachable',
    store,
    queue: { url, answeredAt: run?.answeredAt, handledAt: run?.handledAt, inFlight: run?.inFlight ?? 0 },
  };
}
