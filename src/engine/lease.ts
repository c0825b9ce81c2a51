import { LeaseLostError } from '../errors.ts';
import { type Claim, type Engine, monotonicNow } from './engine.ts';

/** Node keeps a list of timers for each duration: a few durations for all leases cost less than one for each. */
const LAPSE_STEP_MS = 32;

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
  let endsAt = claim.sentAt + leaseMs;
  let stopped = false;
  let lapse = setTimeout(lapsed, untilLapse(endsAt));
  const heartbeat = setInterval(() => void beat(), leaseMs / 3);

  function stop(): void {
    stopped = true;
    clearTimeout(lapse);
    clearInterval(heartbeat);
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
      clearTimeout(lapse);
      lapse = setTimeout(lapsed, untilLapse(endsAt));
    } catch (error) {
      engine.events.emit({ type: 'store-error', scope, key, verb: 'extend', error });
    }
  }

  return { endsAt: () => endsAt, stop };
}

/** Rounded down: our own idea of the lease may end early, never late. */
function untilLapse(endsAt: number): number {
  return Math.floor((endsAt - monotonicNow()) / LAPSE_STEP_MS) * LAPSE_STEP_MS;
}
