/** The time from one rebalance of the group to the next. */
export class Generation {
  readonly #interrupted = new AbortController();
  readonly #over = new AbortController();

  /** Aborts, with the group's own error, when the group goes on without us until we join again. */
  get interrupted(): AbortSignal {
    return this.#interrupted.signal;
  }

  /** Aborts when it is over: another has begun, with other partitions perhaps, or the consumer has stopped. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.over.aborted;
  }

  /** `error` is what a heartbeat or a commit of this generation was refused with. */
  interrupt(error: Error): void {
    this.#interrupted.abort(error);
  }

  end(): void {
    this.#over.abort();
  }
}
