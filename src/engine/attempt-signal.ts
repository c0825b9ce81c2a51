import type { Clock, Timer } from '../lib/clock.ts';
import { onAbort } from '../lib/on-abort.ts';

interface SignalOwner {
  readonly clock: Clock;
  /** Aborts the signal when the lease has lapsed, or may have. */
  checkLease(): void;
  /** Called when the attempt took too long, and its signal has aborted. */
  timedOut(): void;
}

/**
 * A signal that aborts with the caller's, after `timeoutMs`, or by `abort`.
 *
 * It is made when it is read or aborted: one costs Node 3 of a message's 20 us, and many handlers never look at theirs.
 * A class, since a getter in an object literal costs Node another microsecond and half a kilobyte for every message.
 */
export class AttemptSignal {
  readonly #caller: AbortSignal | undefined;
  readonly #timer: Timer | undefined;
  readonly #unsubscribe: (() => void) | undefined;
  readonly #owner: SignalOwner;
  #controller: AbortController | undefined;
  onAborted: ((reason: unknown) => void) | undefined;

  constructor(caller: AbortSignal | undefined, timeoutMs: number | undefined, owner: SignalOwner) {
    this.#caller = caller;
    this.#owner = owner;
    if (caller !== undefined) {
      this.#unsubscribe = onAbort(caller, () => {
        this.abort(caller.reason);
      });
    }
    if (timeoutMs !== undefined) {
      this.#timer = owner.clock.setTimer(() => {
        this.abort(new DOMException(`the attempt took longer than ${timeoutMs} ms`, 'TimeoutError'));
        owner.timedOut();
      }, timeoutMs);
    }
  }

  get signal(): AbortSignal {
    return this.#made().signal;
  }

  /** Whether the caller's own signal has aborted. */
  get abortedByCaller(): boolean {
    return this.#caller?.aborted === true;
  }

  /** Whether it has aborted, without a look at the lease. */
  get isAborted(): boolean {
    return this.#controller !== undefined && isAborted(this.#controller.signal);
  }

  abort(reason: unknown): void {
    this.#made().abort(reason);
    this.onAborted?.(reason);
  }

  release(): void {
    this.#owner.clock.clearTimer(this.#timer);
    this.#unsubscribe?.();
  }

  #made(): AbortController {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      checkedWhenRead(this.#controller.signal, this.#owner);
    }
    return this.#controller;
  }
}

/**
 * Makes a signal check the lease whenever it is read.
 *
 * After a process was stopped, code can run before its timers: a handler that reads the signal just before its effect
 * must see that the lease is over. Node's `throwIfAborted` does not read `aborted`, so both are replaced.
 */
function checkedWhenRead(signal: AbortSignal, owner: SignalOwner): void {
  Object.defineProperties(signal, {
    aborted: {
      get(): boolean {
        if (!isAborted(signal)) owner.checkLease();
        return isAborted(signal);
      },
    },
    throwIfAborted: {
      value: (): void => {
        if (!isAborted(signal)) owner.checkLease();
        AbortSignal.prototype.throwIfAborted.call(signal);
      },
    },
  });
}

function isAborted(signal: AbortSignal): boolean {
  return Reflect.get(AbortSignal.prototype, 'aborted', signal);
}
