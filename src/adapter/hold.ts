import type { Clock, Timer } from '../lib/clock.ts';
import { elapsedSince, type Instant, now } from '../lib/instant.ts';

interface HoldOptions {
  readonly clock: Clock;
  /** When the broker may give the message to another, by the monotonic clock. */
  readonly until: number;
  /** Milliseconds to subtract for the travel time between the broker and here. */
  readonly marginMs: number;
  /**
   * Asks the broker for more time. Gives until when, `Hold.LOST`, or undefined where there was no answer. It must not
   * throw.
   */
  readonly extend?: (() => Promise<number | undefined>) | undefined;
  /** Milliseconds between extensions. Without them the owner of the hold calls `beat`. */
  readonly everyMs?: number | undefined;
}

/** A message that its broker reserves for us while it is handled. */
export class Hold {
  /** Instead of a time: the broker has given the message to another, or is about to. */
  static readonly LOST = -Infinity;

  readonly #options: HoldOptions;
  readonly #timer: Timer | undefined;
  #until: number;
  /** When that was known. */
  #knownAt: Instant;
  #extending: Promise<void> | undefined;

  constructor(options: HoldOptions) {
    const { clock, until, extend, everyMs } = options;
    this.#options = options;
    this.#until = until;
    this.#knownAt = now(clock);
    if (extend === undefined || everyMs === undefined) return;
    this.#timer = clock.setRepeating(() => {
      this.beat();
    }, everyMs);
  }

  /** Whether the broker cannot have given it to another. Where it may have, leave the message alone. */
  isOurs(): boolean {
    return this.leftMs() > 0;
  }

  /** Milliseconds for which it is ours, by the clock that says less: the machine may have been suspended. */
  leftMs(): number {
    const { clock, marginMs } = this.#options;
    return this.#until - marginMs - this.#knownAt.monotonicMs - elapsedSince(clock, this.#knownAt);
  }

  /** Sets what the broker has answered elsewhere. */
  set until(until: number) {
    this.#until = until;
    this.#knownAt = now(this.#options.clock);
  }

  /** Asks for more time, unless an extension is under way or the message may be lost. */
  beat(): void {
    const { extend } = this.#options;
    if (extend === undefined || this.#extending !== undefined || !this.isOurs()) return;
    this.#extending = this.#extendBy(extend);
  }

  async #extendBy(extend: () => Promise<number | undefined>): Promise<void> {
    const askedAt = now(this.#options.clock);
    const until = await extend();
    this.#extending = undefined;
    if (until === undefined) return;
    this.#until = until;
    this.#knownAt = askedAt;
  }

  /** Ends the extensions, and waits for one under way: none may arrive after the next call to the broker. */
  async end(): Promise<void> {
    this.#options.clock.clearTimer(this.#timer);
    await this.#extending;
  }
}
