import type { Attempt } from '../api/attempt.ts';
import { childKey } from '../api/child-key.ts';
import type { Clock } from '../lib/clock.ts';
import { checkKey } from '../options/key.ts';
import { AttemptSignal } from './attempt-signal.ts';
import type { Claim, Engine } from './engine.ts';
import { Lease } from './lease.ts';
import { NotStartedError } from './not-started-error.ts';
import type { AttemptEnding } from './attempt-ending.ts';

export interface AttemptLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
}

/**
 * A claim with its lease and the signal of its attempt, from the claim until its end is on record: a settle can wait in
 * a queue longer than a lease.
 *
 * A class, as are its parts: closures in place of methods cost Node a kilobyte for every message.
 */
export class HeldClaim {
  readonly engine: Engine;
  readonly claim: Claim;
  readonly lease: Lease;
  readonly #limits: AttemptLimits;
  readonly #signal: AttemptSignal;
  #whenOverdue: (() => void) | undefined;
  #isRunning = false;

  constructor(engine: Engine, claim: Claim, limits: AttemptLimits) {
    this.engine = engine;
    this.claim = claim;
    this.#limits = limits;
    this.#signal = new AttemptSignal(limits.signal, limits.timeoutMs, this);
    this.lease = new Lease(engine, claim, this);
  }

  get clock(): Clock {
    return this.engine.clock;
  }

  /** Runs the work of the attempt. It does not throw. */
  async run<Done>(work: (attempt: Attempt) => Promise<Done>): Promise<AttemptEnding<Done>> {
    try {
      // The caller may have aborted while the claim was under way.
      this.#limits.signal?.throwIfAborted();
      this.#isRunning = true;
      return { kind: 'returned', value: await work(this.#attempt()) };
    } catch (error) {
      const interrupted = this.#signal.abortedByCaller || error instanceof NotStartedError;
      return { kind: 'threw', error, interrupted };
    } finally {
      this.#isRunning = false;
      this.#signal.release();
    }
  }

  /** Calls back when the attempt has lost its lease, or has taken longer than its timeout. */
  onOverdue(callback: () => void): void {
    const before = this.#whenOverdue;
    this.#whenOverdue = () => {
      before?.();
      callback();
    };
  }

  /** Aborts the attempt's signal. */
  abort(reason: unknown): void {
    this.#signal.abort(reason);
  }

  /** Whether the attempt has been told to give up. */
  isAborted(): boolean {
    return this.#signal.signal.aborted;
  }

  leaseLost(reason: unknown): void {
    this.#signal.abort(reason);
    this.#whenOverdue?.();
  }

  /** The handler, and not what waits for a connection before it or for its settle after it. */
  leaseKept(): void {
    if (!this.#isRunning) return;
    const { key, attempts, startedAt } = this.claim;
    const { scope } = this.engine.settings;
    const runningMs = this.clock.monotonic() - startedAt;
    this.engine.events.emit({ type: 'still-running', scope, key, attempts, runningMs });
  }

  timedOut(): void {
    this.#whenOverdue?.();
  }

  checkLease(): void {
    this.lease.check();
  }

  /** Ends the lease's heartbeats. */
  end(): void {
    this.lease.stop();
  }

  #attempt(): Attempt {
    const { scope } = this.engine.settings;
    const { key, attempts } = this.claim;
    const attemptSignal = this.#signal;
    return {
      key,
      scope,
      number: attempts,
      get signal() {
        return attemptSignal.signal;
      },
      childKey(name) {
        checkKey('childKey name', name);
        return childKey(scope, key, name);
      },
    };
  }
}
