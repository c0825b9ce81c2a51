import { LeaseLostError } from '../words/errors.ts';
import { elapsedSince, type Instant, monotonicSince, now } from '../lib/instant.ts';
import { createDoubt, type Doubt } from './doubt.ts';
import type { Claim, Engine } from './engine.ts';
import { BEATS_PER_LEASE, doubtDelay, lapseDelay, RESENDS_PER_LEASE } from './lease-alarms.ts';

interface LeaseOwner {
  leaseLost(reason: LeaseLostError): void;
  /** Called once in each `leaseMs` for which the lease is kept. */
  leaseKept(): void;
}

/** `over`: by the monotonic clock. `doubted`: by the wall clock alone. `taken`: the store says so. */
type State = 'kept' | 'over' | 'doubted' | 'taken' | 'stopped';

/**
 * The lease of a claim, which is extended every third of it, until stopped or lost.
 *
 * So two heartbeats can fail before the lease lapses. It is lost when the store says that the record is another's, or
 * when no heartbeat came through in time: then another worker may own the message already.
 *
 * Where the wall clock alone says that it is over, the machine was suspended or its clock was set, and no clock of the
 * machine knows which: the lease is in doubt. Code that reads the signal and cannot wait sees it as lost, and it is
 * lost from then on. Otherwise the database decides.
 */
export class Lease {
  readonly #engine: Engine;
  readonly #claim: Claim;
  readonly #owner: LeaseOwner;
  #confirmed: Instant;
  #beats = 0;
  #state: State = 'kept';
  #isBeating = true;
  #doubt: Doubt | undefined;
  #stopLapse: () => void;
  #stopHeartbeat: () => void;

  constructor(engine: Engine, claim: Claim, owner: LeaseOwner) {
    this.#engine = engine;
    this.#claim = claim;
    this.#owner = owner;
    this.#confirmed = claim.sentAt;
    engine.leases.add(this);
    this.#stopLapse = this.#watchLapse();
    this.#stopHeartbeat = this.#nextHeartbeat();
    this.#beatIfDue();
  }

  /** Milliseconds until the lease ends by the monotonic clock, for another try. Never below 0. */
  leftMs(): number {
    return Math.max(0, this.#leaseMs - this.#monotonicMs);
  }

  /** Whether no other can have the record, as far as both clocks know. */
  isCertain(): boolean {
    return this.#elapsedMs < this.#leaseMs;
  }

  /** Whether a handler may start: it is not lost, and the call has not been answered. */
  isKept(): boolean {
    return this.#state === 'kept';
  }

  /** Whether it is over by the monotonic clock, and nothing says that the record is another's. */
  isOver(): boolean {
    this.#lapseIfOver();
    return this.#state !== 'taken' && this.#monotonicMs >= lapseDelay(this.#leaseMs);
  }

  /** Whether it was given up because of the wall clock alone. */
  wasDoubted(): boolean {
    return this.#state === 'doubted';
  }

  /**
   * Checks the clocks for a handler that reads its signal now: after the process was stopped, timers run late.
   */
  check(): void {
    this.#lapseIfOver();
    if (this.#state !== 'kept' || !this.#isDoubtful()) return;
    this.#loseInDoubt('the signal was read before the database confirmed the lease');
    this.#askForAll();
  }

  /** Resolves once it is known whether the lease is kept. Undefined where it is. */
  whenKnown(): Promise<void> | undefined {
    this.#lapseIfOver();
    if (this.#state !== 'kept' || !this.#isDoubtful()) return undefined;
    this.#askForAll();
    return this.#doubt?.ended;
  }

  askIfDoubtful(): void {
    this.#lapseIfOver();
    if (this.#state !== 'kept' || this.#doubt !== undefined || !this.#isBeating || !this.#isDoubtful())
      return;
    const { clock, leaseAlarms } = this.#engine;
    this.#doubt = createDoubt(() => this.#ask(), {
      alarm: leaseAlarms.doubt,
      clock,
      onUnanswered: () => {
        this.#loseInDoubt(`the database did not confirm the lease within ${doubtDelay(this.#leaseMs)} ms`);
      },
    });
  }

  /**
   * Pauses or resumes the heartbeats, and the questions to the database. While a transaction has the row locked they
   * would wait for it.
   */
  setBeating(isBeating: boolean): void {
    this.#stopHeartbeat();
    this.#endDoubt();
    this.#isBeating = isBeating;
    if (isBeating && this.#state === 'kept') this.#startBeating();
  }

  /** The store says that the record is another's. */
  taken(): void {
    if (this.#state === 'kept') this.#lose('taken', 'another worker has taken over the message');
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
    if (this.#elapsedMs > this.#leaseMs / BEATS_PER_LEASE) this.#beatOrAsk();
  }

  /** Milliseconds since the lease was confirmed last, by the clock that says more. */
  get #elapsedMs(): number {
    return elapsedSince(this.#engine.clock, this.#confirmed);
  }

  get #monotonicMs(): number {
    return monotonicSince(this.#engine.clock, this.#confirmed);
  }

  get #leaseMs(): number {
    return this.#engine.settings.leaseMs;
  }

  #isDoubtful(): boolean {
    return this.#elapsedMs >= lapseDelay(this.#leaseMs);
  }

  #end(how: Exclude<State, 'kept'>): void {
    this.#state = how;
    this.#engine.leases.delete(this);
    this.#stopLapse();
    this.#stopHeartbeat();
    this.#endDoubt();
  }

  #endDoubt(): void {
    this.#doubt?.end();
    this.#doubt = undefined;
  }

  readonly #onHeartbeat = (): void => {
    if (!this.#beatIfKept()) return;
    this.#beats += 1;
    if (this.#beats % BEATS_PER_LEASE === 0) this.#owner.leaseKept();
  };

  #beatIfKept(): boolean {
    // After the process was stopped, this timer runs before the one of the lapse: a lapsed lease must not be extended.
    this.#lapseIfOver();
    if (this.#state !== 'kept') return false;
    this.#stopHeartbeat = this.#nextHeartbeat();
    this.#beatOrAsk();
    return true;
  }

  /** Two heartbeats that meet one lock must not cost the lease: a lock of up to half a lease does not. */
  #beatSoon(): void {
    if (!this.#isBeating) return;
    const { clock } = this.#engine;
    this.#stopHeartbeat();
    const timer = clock.setTimer(() => this.#beatIfKept(), this.#leaseMs / RESENDS_PER_LEASE);
    this.#stopHeartbeat = () => {
      clock.clearTimer(timer);
    };
  }

  #beatOrAsk(): void {
    if (this.#isDoubtful()) this.#askForAll();
    else void this.#beat();
  }

  /** All leases of the process have the same clocks, and share the statement. */
  #askForAll(): void {
    if (this.#doubt !== undefined) return;
    for (const lease of this.#engine.leases) lease.askIfDoubtful();
  }

  /** A question is a heartbeat: one must not be sent for a lease that is given up. */
  async #ask(): Promise<void> {
    this.#lapseIfOver();
    if (this.#state === 'kept') await this.#beat();
  }

  #lapseIfOver(): void {
    if (this.#state === 'kept' && this.#monotonicMs >= lapseDelay(this.#leaseMs)) this.#lapsed();
  }

  readonly #lapsed = (): void => {
    this.#lose('over', `no heartbeat reached the store within the lease of ${this.#leaseMs} ms`);
  };

  #watchLapse(): () => void {
    const { clock, leaseAlarms } = this.#engine;
    const leftMs = this.#leaseMs - this.#monotonicMs;
    if (leftMs >= lapseDelay(this.#leaseMs)) return leaseAlarms.lapse.set(this.#lapsed);
    const timer = clock.setTimer(this.#lapsed, Math.max(leftMs, 0));
    return () => {
      clock.clearTimer(timer);
    };
  }

  #lose(how: 'over' | 'doubted' | 'taken', message: string): void {
    this.#end(how);
    this.#owner.leaseLost(new LeaseLostError(message));
  }

  #loseInDoubt(why: string): void {
    const over = `by the wall clock of this machine the lease of ${this.#leaseMs} ms is over`;
    this.#lose('doubted', `${over}, and ${why}: the clock was set, or the machine was suspended`);
  }

  async #beat(): Promise<void> {
    const { key, token } = this.#claim;
    const sentAt = now(this.#engine.clock);
    try {
      const reply = await this.#engine.records.extend({ key, token });
      if (this.#state !== 'kept') return;
      if (reply === 'locked') {
        this.#beatSoon();
        return;
      }
      if (reply === 'lost') {
        this.taken();
        return;
      }
      // An earlier heartbeat can be answered later.
      if (sentAt.monotonicMs >= this.#confirmed.monotonicMs) this.#confirmed = sentAt;
      this.#stopLapse();
      this.#stopLapse = this.#watchLapse();
      if (!this.#isDoubtful()) this.#endDoubt();
    } catch (error) {
      const { scope } = this.#engine.settings;
      this.#engine.events.emit({ type: 'store-error', scope, key, verb: 'extend', error });
    }
  }
}
