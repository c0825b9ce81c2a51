/** A request that waits. The queue writes `next`. */
export interface Waiting {
  readonly key: string;
  /** The next of the same key. */
  next?: this | undefined;
}

const COMPACTED_FROM = 1_024;

/** Requests in the order of their arrival. A batch takes one per key. */
export class KeyQueue<Entry extends Waiting> {
  /** The first of each key. What is before `head` was taken. */
  #firsts: Entry[] = [];
  #head = 0;
  readonly #lasts = new Map<string, Entry>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(entry: Entry): void {
    this.#size += 1;
    const last = this.#lasts.get(entry.key);
    this.#lasts.set(entry.key, entry);
    if (last === undefined) this.#firsts.push(entry);
    else last.next = entry;
  }

  /** Takes up to `max` entries with distinct keys, and looks at no others: a queue can be long. */
  take(max: number): Entry[] {
    const batch: Entry[] = [];
    const again: Entry[] = [];
    while (batch.length < max) {
      const entry = this.#shift();
      if (entry === undefined) break;
      batch.push(entry);
      if (entry.next === undefined) this.#lasts.delete(entry.key);
      else again.push(entry.next);
    }
    this.#firsts.push(...again);
    this.#size -= batch.length;
    return batch;
  }

  #shift(): Entry | undefined {
    const entry = this.#firsts[this.#head];
    if (entry === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#firsts.length) {
      this.#firsts = [];
      this.#head = 0;
    } else if (this.#head > COMPACTED_FROM && this.#head * 2 > this.#firsts.length) {
      this.#firsts = this.#firsts.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }
}
