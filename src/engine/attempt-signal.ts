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
  readonly #takeOff: (() => void) | undefined;
  #controller: AbortController | undefined;

  constructor(caller: AbortSignal | undefined, timeoutMs: number | undefined) {
    this.#caller = caller;
    if (caller !== undefined) {
      this.#takeOff = onAbort(caller, () => {
        this.abort(caller.reason);
      });
    }
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => {
        this.abort(new DOMException(`the attempt took longer than ${timeoutMs} ms`, 'TimeoutError'));
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
    this.#takeOff?.();
  }

  #made(): AbortController {
    return (this.#controller ??= new AbortController());
  }
}
