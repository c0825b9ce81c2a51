import type { Random } from './random.ts';

interface Event {
  readonly at: number;
  /** Among those of one moment. */
  readonly order: number;
  readonly run: () => void;
}

/**
 * Each step is an immediate of its own: after it, and before the next one, Node runs all reactions of promises that can
 * run. A turn of Node's event loop costs more than most steps do, so that one turn has many.
 */
const STEPS_IN_A_TURN = 100;

/**
 * Virtual time: it stops while something happens, and then jumps to what is due next. What is due at the same
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
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let hasEnded = false;
      const next = (): void => {
        if (hasEnded) return;
        try {
          hasEnded = isOver() || !this.#step();
          if (hasEnded) resolve();
        } catch (error) {
          hasEnded = true;
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const turn = (): void => {
        if (hasEnded) return;
        for (let count = 0; count < STEPS_IN_A_TURN; count += 1) setImmediate(next);
        setImmediate(turn);
      };
      turn();
    });
  }

  /** False where nothing is due any more. */
  #step(): boolean {
    const event = this.#pop();
    if (event === undefined) return false;
    this.#now = event.at;
    event.run();
    return true;
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
