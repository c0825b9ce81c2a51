import { type Clock, retryWait, type Timer } from '../../../src/adapter-kit.ts';

const WAITS = { baseMs: 200, maxMs: 5_000 };

/** What has failed, each until its own next try: later each time, until it succeeds. */
export class Retries<Key> {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  readonly #failures = new Map<Key, number>();
  readonly #waiting = new Map<Key, Timer>();
  #isOver = false;

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  isWaiting(key: Key): boolean {
    return this.#waiting.has(key);
  }

  hasFailed(key: Key): boolean {
    return this.#failures.has(key);
  }

  failed(key: Key): void {
    if (this.#isOver || this.isWaiting(key)) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const due = (): void => {
      this.#waiting.delete(key);
      this.#onDue();
    };
    this.#waiting.set(key, this.#clock.setTimer(due, retryWait(WAITS, failures)));
  }

  succeeded(key: Key): void {
    this.#failures.delete(key);
  }

  /** Forgets what has failed. */
  clear(): void {
    for (const timer of this.#waiting.values()) this.#clock.clearTimer(timer);
    this.#waiting.clear();
    this.#failures.clear();
  }

  /** Nothing is tried again. */
  end(): void {
    this.#isOver = true;
    this.clear();
  }
}
