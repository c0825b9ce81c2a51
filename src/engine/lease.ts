import { LeaseLostError } from '../api/errors.ts';
import { elapsedSince, type Instant, now } from '../lib/instant.ts';
import type { Claim, Engine } from './engine.ts';
import { BEATS_PER_LEASE, lapseDelay } from './lease-alarms.ts';

export interface LeaseOwner {
  leaseLost(reason: LeaseLostError): void;
  /** Called once per lease that the lease was kept. */
  leaseKept(): void;
}

/**
 * The lease of a claim, which is extended every third of it, until stopped or lost.
 *
 * Two heartbeats can so fail before the lease lapses. It is lost when the store says that the record is another's, or
 * when no heartbeat came through in time: then another worker may own the message already.
 */
export class Lease {
  readonly #engine: Engine;
  readonly #claim: Claim;
  readonly #owner: LeaseOwner;
  #confirmed: Instant;
  #beats = 0;
  #state: 'kept' | 'lost' | 'stopped' = 'kept';
  #stopLapse: () => void;
  #stopHeartbeat: () => void;

  constructor(engine: Engine, claim: Claim, owner: LeaseOwner) {
    this.#engine = engine;
    this.#claim = claim;
    this.#owner = owner;
    this.#confirmed = claim.sentAt;
    this.#stopLapse = this.#watchLapse();
    this.#stopHeartbeat = this.#nextHeartbeat();
    this.#beatIfDue();
  }

  /** Milliseconds until the lease ends as far as we know: not later than the database thinks. Never below 0. */
  leftMs(): number {
    return Math.max(0, this.#leaseMs - this.#elapsedMs);
  }

  /** Whether it has been lost: another worker may own the message. */
  isLost(): boolean {
    return this.#state === 'lost';
  }

  /** Looks at the clocks, since a process that stood still has not heard its timers yet. */
  check(): void {
    if (this.#state === 'kept' && this.#elapsedMs >= lapseDelay(this.#leaseMs)) this.#lapsed();
  }

  /** Pauses or resumes the heartbeats. One that is sent while a transaction has the row locked would wait for it. */
  setBeating(isBeating: boolean): void {
    this.#stopHeartbeat();
    if (isBeating && this.#state === 'kept') this.#startBeating();
  }

  stop(): void {
    if (this.#state === 'kept') this.#end('stopped');
  }

  #startBeating(): void {
    this.#stopHeartbeat = this.#nextHeartbeat();
    this.#beatIfDue();
  }

  #nextHeartbeat(): () => void {
    return this.#engine.leaseAlarms.heartbeat.set(this.#onHeartbeat);
  }

  /** The reply to the claim, or a time without heartbeats, may have used up most of the lease. */
  #beatIfDue(): void {
    if (this.#elapsedMs > this.#leaseMs / BEATS_PER_LEASE) void this.#beat();
  }

  /** Milliseconds since the lease was confirmed last. */
  get #elapsedMs(): number {
    return elapsedSince(this.#engine.clock, this.#confirmed);
  }

  get #leaseMs(): number {
    return this.#engine.settings.leaseMs;
  }

  #end(how: 'lost' | 'stopped'): void {
    this.#state = how;
    this.#stopLapse();
    this.#stopHeartbeat();
  }

  readonly #onHeartbeat = (): void => {
    // After a standstill this timer runs before that of the lapse: a lease that is given up must not be extended.
    this.check();
    if (this.#state !== 'kept') return;
    this.#stopHeartbeat = this.#nextHeartbeat();
    this.#beats += 1;
    if (this.#beats % BEATS_PER_LEASE === 0) this.#owner.leaseKept();
    void this.#beat();
  };

  readonly #lapsed = (): void => {
    this.#lose(`no heartbeat reached the store within the lease of ${this.#leaseMs} ms`);
  };

  #watchLapse(): () => void {
    const { clock, leaseAlarms } = this.#engine;
    const leftMs = this.#leaseMs - this.#elapsedMs;
    if (leftMs >= lapseDelay(this.#leaseMs)) return leaseAlarms.lapse.set(this.#lapsed);
    const timer = clock.setTimer(this.#lapsed, Math.max(leftMs, 0));
    return () => {
      clock.clearTimer(timer);
    };
  }

  #lose(message: string): void {
    this.#end('lost');
    this.#owner.leaseLost(new LeaseLostError(message));
  }

  async #beat(): Promise<void> {
    const { key, token } = this.#claim;
    const sentAt = now(this.#engine.clock);
    try {
      const reply = await this.#engine.records.extend({ key, token });
      if (this.#state !== 'kept' || reply === 'locked') return;
      if (reply === 'lost') {
        this.#lose('another worker has taken the message over');
        return;
      }
      // An earlier heartbeat can be answered later.
      if (sentAt.monotonicMs > this.#confirmed.monotonicMs) this.#confirmed = sentAt;
      this.#stopLapse();
      this.#stopLapse = this.#watchLapse();
    } catch (error) {
      const { scope } = this.#engine.settings;
      this.#engine.events.emit({ type: 'store-error', scope, key, verb: 'extend', error });
    }
  }
}
