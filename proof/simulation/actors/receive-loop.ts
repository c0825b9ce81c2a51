import type { HandleMessageOptions, SqsMessage } from '../../../adapters/sqs/index.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { delay, endsWithin } from '../../../src/lib/wait.ts';

/** A loop as users write it around `onceEachSqsMessage`. */
export interface ReceiveLoopOptions {
  readonly receive: (signal: AbortSignal) => Promise<readonly SqsMessage[]>;
  readonly handle: (
    message: SqsMessage,
    options: HandleMessageOptions,
  ) => Promise<{ readonly action: string }>;
  /** What is handled one after the other, until one is kept; undefined: beside all others. */
  readonly groupOf: (message: SqsMessage) => string | undefined;
  /** What a stop leaves to handlers before their signals abort. */
  readonly drainMs: number;
}

const PAUSE_MS = 500;
const LAST_MS = 5_000;

export class ReceiveLoop {
  readonly #options: ReceiveLoopOptions;
  readonly #clock: Clock;
  readonly #receiving = new AbortController();
  readonly #handling = new AbortController();
  readonly #turning: Promise<void>;
  #isStopped = false;

  constructor(options: ReceiveLoopOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#turning = this.#turn();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#receiving.abort();
    if (await endsWithin(this.#turning, this.#options.drainMs, this.#clock)) return;
    this.#handling.abort();
    await endsWithin(this.#turning, LAST_MS, this.#clock);
  }

  async #turn(): Promise<void> {
    while (!this.#isStopped) {
      const messages = await this.#received();
      const receivedAt = this.#clock.wall();
      await Promise.all(this.#lanesOf(messages).map((lane) => this.#run(lane, receivedAt)));
      if (messages.length === 0) await delay(this.#clock, PAUSE_MS);
    }
  }

  async #received(): Promise<readonly SqsMessage[]> {
    try {
      return await this.#options.receive(this.#receiving.signal);
    } catch {
      return [];
    }
  }

  #lanesOf(messages: readonly SqsMessage[]): readonly (readonly SqsMessage[])[] {
    const lanes = new Map<unknown, SqsMessage[]>();
    for (const message of messages) {
      const name = this.#options.groupOf(message) ?? message;
      lanes.set(name, [...(lanes.get(name) ?? []), message]);
    }
    return [...lanes.values()];
  }

  /** What stands behind a message that was kept is left to the queue. */
  async #run(lane: readonly SqsMessage[], receivedAt: number): Promise<void> {
    for (const message of lane) {
      if (this.#isStopped || !(await this.#isDone(message, receivedAt))) return;
    }
  }

  async #isDone(message: SqsMessage, receivedAt: number): Promise<boolean> {
    try {
      const { action } = await this.#options.handle(message, { signal: this.#handling.signal, receivedAt });
      return action !== 'kept';
    } catch {
      // The settings of the queue could not be read, or nothing was committed.
      return false;
    }
  }
}
