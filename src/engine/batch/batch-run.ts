import { setMaxListeners } from 'node:events';
import { printable } from '../../lib/printable.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Attempt } from '../../words/attempt.ts';
import { LeaseLostError } from '../../words/errors.ts';
import type { TransactionGroup } from '../attempt-in-transaction.ts';
import { AttemptSignal } from '../attempt-signal.ts';
import type { HeldClaim } from '../held-claim.ts';

/** One run of the handler of a batch, with its signal: it aborts with that of any member. */
export class BatchRun implements TransactionGroup {
  readonly clock: Clock;
  readonly members: readonly HeldClaim[];
  readonly #signal: AttemptSignal;
  /** Whether it ends for another reason than its handler or its timeout: then no message has failed. */
  isInterrupted = false;
  #whenOverdue: (() => void) | undefined;

  constructor(members: readonly [HeldClaim, ...HeldClaim[]], timeoutMs: number | undefined) {
    this.members = members;
    this.clock = members[0].clock;
    this.#signal = new AttemptSignal(undefined, timeoutMs, this);
    for (const held of members) {
      if (held.lastRun !== undefined) held.lastRun.batchSize = members.length;
      held.onAborted((reason) => {
        this.isInterrupted = true;
        this.abort(reason instanceof LeaseLostError ? lostBy(held, reason) : reason);
      });
    }
  }

  /** The same attempt, with the signal of the run. */
  shareWith(attempt: Attempt): Attempt {
    return Object.defineProperty(attempt, 'signal', { get: () => this.#sharedSignal(), enumerable: true });
  }

  /** Each message may listen to it. */
  #sharedSignal(): AbortSignal {
    const { signal } = this.#signal;
    setMaxListeners(0, signal);
    return signal;
  }

  onOverdue(callback: () => void): void {
    this.#whenOverdue = callback;
    for (const held of this.members) held.onOverdue(callback);
  }

  abort(reason: unknown): void {
    this.#signal.abort(reason);
  }

  timedOut(): void {
    this.#whenOverdue?.();
  }

  checkLease(): void {
    for (const held of this.members) held.checkLease();
  }

  end(): void {
    this.#signal.release();
  }
}

function lostBy({ claim }: HeldClaim, reason: LeaseLostError): LeaseLostError {
  return new LeaseLostError(`message ${printable(claim.key)} of the batch is lost: ${reason.message}`, {
    cause: reason,
  });
}
