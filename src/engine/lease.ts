import { type Alarm, createAlarm } from '../alarm.ts';
import { LeaseLostError } from '../errors.ts';
import { type Claim, type Engine, monotonicNow } from './engine.ts';

/** The alarms of all leases of one `handleOnce`. */
export interface LeaseAlarms {
  readonly heartbeat: Alarm;
  readonly lapse: Alarm;
}

/** Our own idea of a lease ends this much of it early, never late: the time that a claim or heartbeat may travel. */
const TRAVEL_SHARE = 0.02;

function lapseDelay(leaseMs: number): number {
  return leaseMs * (1 - TRAVEL_SHARE);
}

export function createLeaseAlarms(leaseMs: number): LeaseAlarms {
  return { heartbeat: createAlarm(leaseMs / 3), lapse: createAlarm(lapseDelay(leaseMs)) };
}

export interface Lease {
  /** When the lease ends as far as we know, on our monotonic clock: not later than the database thinks. */
  endsAt(): number;
  stop(): void;
}

/**
 * Extends the lease of a claim every third of it, until stopped or lost.
 *
 * Two heartbeats can so fail before the lease lapses. It is lost when the store says that the record is another's, or
 * when no heartbeat came through in time: then somebody else may own the message already.
 */
export function keepLease(engine: Engine, claim: Claim, onLost: (error: LeaseLostError) => void): Lease {
  const { leaseMs, scope } = engine.settings;
  const { key, token } = claim;
  const { heartbeat, lapse } = engine.leaseAlarms;
  let endsAt = claim.sentAt + leaseMs;
  let stopped = false;
  let stopLapse = watchLapse();
  let stopHeartbeat = heartbeat.set(onHeartbeat);

  function stop(): void {
    stopped = true;
    stopLapse();
    stopHeartbeat();
  }

  function onHeartbeat(): void {
    stopHeartbeat = heartbeat.set(onHeartbeat);
    void beat();
  }

  function watchLapse(): () => void {
    const leftMs = endsAt - monotonicNow();
    if (leftMs >= lapseDelay(leaseMs)) return lapse.set(lapsed);
    const timer = setTimeout(lapsed, leftMs);
    return () => {
      clearTimeout(timer);
    };
  }

  function lose(message: string): void {
    stop();
    onLost(new LeaseLostError(message));
  }

  function lapsed(): void {
    lose(`no heartbeat reached the store within the lease of ${leaseMs} ms`);
  }

  async function beat(): Promise<void> {
    const sentAt = monotonicNow();
    try {
      const reply = await engine.records.extend({ key, token });
      if (stopped) return;
      if (reply === 'lost') {
        lose('another worker has taken the message over');
        return;
      }
      endsAt = Math.max(endsAt, sentAt + leaseMs);
      stopLapse();
      stopLapse = watchLapse();
    } catch (error) {
      engine.events.emit({ type: 'store-error', scope, key, verb: 'extend', error });
    }
  }

  return { endsAt: () => endsAt, stop };
}
