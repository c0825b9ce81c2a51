import type { Random } from './random.ts';

interface Event {
  readonly at: number;
  /** Among those of one moment. */
  readonly order: number;
  readonly run: () => void;
}

/**
 * Virtual time: it stands still while something happens, and then jumps to what is due next. What is due at the same
 * moment comes in an order that the seed decides.
 */
export class Scheduler {
  readonly #random: Random;
  /** A binary heap: the parent of `n` is at `(n - 1) >> 1`, and not later. */
  readonly #events: Event[] = [];
  #now = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Milliseconds since the world began. */
  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void, order = this.#random.next()): void {
    this.#push({ at: this.#now + Math.max(0, milliseconds), order, run });
  }

  /** Lets everything happen, one after the other, until it is over or nothing is due any more. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const event = this.#pop();
      if (event === undefined) return;
      this.#now = event.at;
      event.run();
      await allReactions();
    }
  }

  #push(event: Event): void {
    const events = this.#events;
    let place = events.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, events[parent] as Event)) break;
      events[place] = events[parent] as Event;
      place = parent;
    }
    events[place] = event;
  }

  #pop(): Event | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (last !== undefined && events.length > 0) this.#sink(last);
    return first;
  }

  /** Finds the place of an event from the top. */
  #sink(event: Event): void {
    const events = this.#events;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= events.length) break;
      const right = child + 1;
      if (right < events.length && isBefore(events[right] as Event, events[child] as Event)) child = right;
      if (!isBefore(events[child] as Event, event)) break;
      events[place] = events[child] as Event;
      place = child;
    }
    events[place] = event;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Resolves when all promises that can go on have gone on: Node runs their reactions before the next turn. */
function allReactions(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
