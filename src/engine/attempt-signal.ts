import { onAbort } from './on-abort.ts';

/**
 * A signal that aborts with the caller's, after `timeoutMs`, or by `abort`.
 *
 * It is made when it is read or aborted: one costs Node 3 of a message's 20 us, and many handlers never look at theirs.
 * A class, since a getter in an object literal costs Node another microsecond and half a kilobyte for every message.
 */
export class AttemptSignal {
  readonly #caller: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #unsubscribe: (() => void) | undefined;
  readonly #checkLease: () => void;
  #controller: AbortController | undefined;

  /** `checkLease` aborts when the lease has lapsed; `onTimeout` is called when the attempt took too long. */
  constructor(
    caller: AbortSignal | undefined,
    timeoutMs: number | undefined,
    { checkLease, onTimeout }: { readonly checkLease: () => void; readonly onTimeout: () => void },
  ) {
    this.#caller = caller;
    this.#checkLease = checkLease;
    if (caller !== undefined) {
      this.#unsubscribe = onAbort(caller, () => {
        this.abort(caller.reason);
      });
    }
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => {
        this.abort(new DOMException(`the attempt took longer than ${timeoutMs} ms`, 'TimeoutError'));
        onTimeout();
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

  abort(reason: unknown): void {
    this.#made().abort(reason);
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#unsubscribe?.();
  }

  #made(): AbortController {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      checkedWhenRead(this.#controller.signal, this.#checkLease);
    }
    return this.#controller;
  }
}

/**
 * Makes a signal look at the lease whenever it is asked.
 *
 * A process that stood still runs on before its timers do: a handler that asks just before its effect must not be told
 * that all is well. Node's own `throwIfAborted` does not read `aborted`, so both are replaced.
 */
function checkedWhenRead(signal: AbortSignal, check: () => void): void {
  Object.defineProperties(signal, {
    aborted: {
      get(): boolean {
        check();
        return Reflect.get(AbortSignal.prototype, 'aborted', signal);
      },
    },
    throwIfAborted: {
      value: (): void => {
        check();
        AbortSignal.prototype.throwIfAborted.call(signal);
      },
    },
  });
}
