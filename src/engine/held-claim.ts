import type { Attempt } from '../words/attempt.ts';
import { childKeysOf } from '../options/key.ts';
import type { Clock } from '../lib/clock.ts';
import { AttemptSignal } from './attempt-signal.ts';
import type { Claim, Engine } from './engine.ts';
import { Lease } from './lease.ts';
import { refuseStep } from './steps/refuse-step.ts';
import { NotStartedError } from '../words/not-started-error.ts';
import type { AttemptEnding, Threw } from './attempt-ending.ts';

/** The clock may soon be set again. */
const AFTER_DOUBT_MS = 1_000;

/** An attempt, whose `step` is replaced where it has steps. */
export type MadeAttempt = Attempt & {
  step: (name: string, run: (childKey: string) => unknown) => Promise<unknown>;
};

export interface AttemptLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
}

/** What is known of one run of a handler. */
interface RunFacts {
  /** How many messages the handler is called for; undefined where it is called for this one alone. */
  batchSize: number | undefined;
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
  #limits: AttemptLimits;
  #signal: AttemptSignal;
  /** Whether the handler runs: not while its turn, its payload or its connection is awaited, nor its settle. */
  isRunning = false;
  /** Whether it has run before, in this attempt. */
  hasRun = false;
  /** The last run that began. */
  lastRun: RunFacts | undefined;
  #whenOverdue: (() => void) | undefined;

  constructor(engine: Engine, claim: Claim, limits: AttemptLimits) {
    this.engine = engine;
    this.claim = claim;
    this.#limits = limits;
    this.#signal = new AttemptSignal(limits.signal, limits.timeoutMs, this);
    this.lease = new Lease(engine, claim, this);
  }

  /** As the only member of its group. */
  get members(): readonly [HeldClaim] {
    return [this];
  }

  get clock(): Clock {
    return this.engine.clock;
  }

  /** Runs the work of the attempt. It does not throw. */
  async run<Done>(work: (attempt: MadeAttempt) => Promise<Done>): Promise<AttemptEnding<Done>> {
    this.lastRun = { batchSize: undefined };
    try {
      // The caller may have aborted while the claim was under way.
      this.#limits.signal?.throwIfAborted();
      return { kind: 'returned', value: await work(this.#attempt()) };
    } catch (error) {
      return this.threw(error);
    } finally {
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

  /** Calls back with the reason when the attempt's signal aborts. */
  onAborted(callback: (reason: unknown) => void): void {
    this.#signal.onAborted = callback;
  }

  /** Sets the limits of the next run, in place of those before. */
  limitTo(limits: AttemptLimits): void {
    this.#signal.release();
    this.#limits = limits;
    this.#signal = new AttemptSignal(limits.signal, limits.timeoutMs, this);
  }

  /** Aborts the attempt's signal. */
  abort(reason: unknown): void {
    this.#signal.abort(reason);
  }

  /** Whether the signal of the attempt has aborted. Where its lease is in doubt, it waits for the database. */
  async isOver(): Promise<boolean> {
    const known = this.lease.whenKnown();
    if (known !== undefined) await known;
    return this.#signal.isAborted;
  }

  /** Whether its handler may be called in this turn. */
  get mayStart(): boolean {
    return this.lease.isKept() && !this.#signal.isAborted;
  }

  leaseLost(reason: unknown): void {
    this.#signal.abort(reason);
    this.#whenOverdue?.();
  }

  leaseKept(): void {
    if (!this.isRunning) return;
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

  /** How an attempt ends with an error: because of its lease, or its caller, it is no failure of its handler. */
  threw(error: unknown): Threw {
    const threw = { kind: 'threw', error, interrupted: true } as const;
    if (error instanceof NotStartedError) return threw;
    if (this.lease.isOver()) return { ...threw, interrupted: false, isDeath: true };
    if (this.#signal.abortedByCaller) return threw;
    if (this.lease.wasDoubted()) return { ...threw, retryAfterMs: AFTER_DOUBT_MS };
    return { ...threw, interrupted: false };
  }

  #attempt(): MadeAttempt {
    const { scope } = this.engine.settings;
    const { key, attempts, ageMs } = this.claim;
    const attemptSignal = this.#signal;
    return {
      key,
      scope,
      number: attempts,
      ageMs,
      get signal() {
        return attemptSignal.signal;
      },
      childKey: childKeysOf(scope, key),
      step: refuseStep,
    };
  }
}
