/** A request that waits. Its fields are the queue's own. */
export interface Waiting {
  readonly key: string;
  /** The next of the same key. */
  next?: this | undefined;
}

/** Requests in the order of their arrival, of which a batch takes one per key. */
export interface KeyQueue<Entry extends Waiting> {
  readonly size: () => number;
  add(entry: Entry): void;
  /** Takes up to `max` entries with distinct keys, and looks at no others: a queue can be long. */
  take(max: number): Entry[];
}

export function createKeyQueue<Entry extends Waiting>(): KeyQueue<Entry> {
  /** The first of each key. What is before `head` was taken. */
  let firsts: Entry[] = [];
  let head = 0;
  const lasts = new Map<string, Entry>();
  let size = 0;

  function shift(): Entry | undefined {
    const entry = firsts[head];
    if (entry === undefined) return undefined;
    head += 1;
    if (head === firsts.length) {
      firsts = [];
      head = 0;
    } else if (head > COMPACTED_FROM && head * 2 > firsts.length) {
      firsts = firsts.slice(head);
      head = 0;
    }
    return entry;
  }

  return {
    size: () => size,
    add(entry) {
      size += 1;
      const last = lasts.get(entry.key);
      lasts.set(entry.key, entry);
      if (last === undefined) firsts.push(entry);
      else last.next = entry;
    },
    take(max) {
      const batch: Entry[] = [];
      const again: Entry[] = [];
      while (batch.length < max) {
        const entry = shift();
        if (entry === undefined) break;
        batch.push(entry);
        if (entry.next === undefined) lasts.delete(entry.key);
        else again.push(entry.next);
      }
      firsts.push(...again);
      size -= batch.length;
      return batch;
    },
  };
}

const COMPACTED_FROM = 1_024;
