import type { Clock, Timer } from '../lib/clock.ts';

export interface BatchGathererOptions<Message> {
  /** Messages of one batch. */
  readonly size: number;
  /** Milliseconds for which the first waits for others. */
  readonly waitMs: number;
  readonly clock: Clock;
  /** Takes a batch, which has at least one message. */
  readonly start: (messages: readonly Message[]) => void;
  readonly bytesOf?: ((message: Message) => number) | undefined;
}

/** Of the messages of one batch. A larger message is a batch of its own. */
const MAX_BYTES = 8_388_608;

/** Gathers messages for batches, before they are claimed. A full batch never waits. */
export class BatchGatherer<Message> {
  readonly #options: BatchGathererOptions<Message>;
  #messages: Message[] = [];
  #bytes = 0;
  #timer: Timer | undefined;

  constructor(options: BatchGathererOptions<Message>) {
    this.#options = options;
  }

  add(message: Message): void {
    const { size, waitMs, clock } = this.#options;
    const bytes = this.#bytesOf(message);
    if (!this.#hasRoom(bytes)) this.startNow();
    this.#messages.push(message);
    this.#bytes += bytes;
    if (this.#messages.length >= size) {
      this.startNow();
    } else {
      this.#timer ??= clock.setTimer(() => {
        this.startNow();
      }, waitMs);
    }
  }

  /** Whether it can join what is gathered: else that starts first. */
  fits(message: Message): boolean {
    return this.#hasRoom(this.#bytesOf(message));
  }

  #bytesOf(message: Message): number {
    return this.#options.bytesOf?.(message) ?? 0;
  }

  #hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= MAX_BYTES;
  }

  /** Starts what is gathered: nothing more comes for now. */
  startNow(): void {
    const { clock, start } = this.#options;
    clock.clearTimer(this.#timer);
    this.#timer = undefined;
    const messages = this.#messages;
    this.#messages = [];
    this.#bytes = 0;
    if (messages.length > 0) start(messages);
  }
}
