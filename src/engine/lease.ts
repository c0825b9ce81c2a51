import { LeaseLostError } from '../errors.ts';
import { elapsedSince, now } from '../instant.ts';
import type { Claim, Engine } from './engine.ts';
import { lapseDelay } from './lease-alarms.ts';

export interface Lease {
  /** Milliseconds until the lease ends as far as we know: not later than the database thinks. Never below 0. */
  leftMs(): number;
  /** Whether it has been lost: another worker may own the message. */
  isLost(): boolean;
  /** Ends the heartbeats, or goes on with them: while a transaction holds the record they would wait for it. */
  setBeating(isBeating: boolean): void;
  /** Looks at the clocks, since a process that stood still has not heard its timers yet. */
  check(): void;
  stop(): void;
}

/**
 * Extends the lease of a claim every third of it, until stopped or lost.
 *
 * Two heartbeats can so fail before the lease lapses. It is lost when the store says that the record is another's, or
 * when no heartbeat came through in time: then another worker may own the message already.
 */
export function keepLease(engine: Engine, claim: Claim, onLost: (error: LeaseLostError) => void): Lease {
  const { leaseMs, scope } = engine.settings;
  const { key, token } = claim;
  const { heartbeat, lapse } = engine.leaseAlarms;
  let confirmed = claim.sentAt;
  let state: 'kept' | 'lost' | 'stopped' = 'kept';
  let stopLapse = watchLapse();
  let stopHeartbeat = heartbeat.set(onHeartbeat);
  // The reply to the claim may have used up most of the lease.
  if (elapsedSince(confirmed) > leaseMs / 3) void beat();

  function end(how: 'lost' | 'stopped'): void {
    state = how;
    stopLapse();
    stopHeartbeat();
  }

  function onHeartbeat(): void {
    stopHeartbeat = heartbeat.set(onHeartbeat);
    void beat();
  }

  function watchLapse(): () => void {
    const leftMs = leaseMs - elapsedSince(confirmed);
    if (leftMs >= lapseDelay(leaseMs)) return lapse.set(lapsed);
    const timer = setTimeout(lapsed, Math.max(leftMs, 0));
    return () => {
      clearTimeout(timer);
    };
  }

  function lose(message: string): void {
    end('lost');
    onLost(new LeaseLostError(message));
  }

  function lapsed(): void {
    lose(`no heartbeat reached the store within the lease of ${leaseMs} ms`);
  }

  async function beat(): Promise<void> {
    const sentAt = now();
    try {
      const reply = await engine.records.extend({ key, token });
      if (state !== 'kept') return;
      if (reply === 'lost') {
        lose('another worker has taken the message over');
        return;
      }
      // An earlier heartbeat can be answered later.
      if (sentAt.monotonicMs > confirmed.monotonicMs) confirmed = sentAt;
      stopLapse();
      stopLapse = watchLapse();
    } catch (error) {
      engine.events.emit({ type: 'store-error', scope, key, verb: 'extend', error });
    }
  }

  return {
    setBeating(isBeating) {
      stopHeartbeat();
      if (isBeating && state === 'kept') stopHeartbeat = heartbeat.set(onHeartbeat);
    },
    leftMs: () => Math.max(0, leaseMs - elapsedSince(confirmed)),
    isLost: () => state === 'lost',
    check() {
      if (state === 'kept' && elapsedSince(confirmed) >= lapseDelay(leaseMs)) lapsed();
    },
    stop() {
      if (state === 'kept') end('stopped');
    },
  };
}
