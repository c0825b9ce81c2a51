/** Requests in the order of their arrival, of which a batch takes one per key. */
export interface KeyQueue<Entry> {
  readonly size: () => number;
  add(key: string, entry: Entry): void;
  /** Takes up to `max` entries with distinct keys, and looks at no others: a queue can be long. */
  take(max: number): Entry[];
}

interface Line<Entry> {
  readonly key: string;
  readonly entries: Entry[];
}

export function createKeyQueue<Entry>(): KeyQueue<Entry> {
  const lines = new Map<string, Line<Entry>>();
  /** Each line once. What is before `head` was taken. */
  let order: Line<Entry>[] = [];
  let head = 0;
  let size = 0;

  function next(): Line<Entry> | undefined {
    const line = order[head];
    if (line === undefined) return undefined;
    head += 1;
    if (head * 2 > order.length) {
      order = order.slice(head);
      head = 0;
    }
    return line;
  }

  return {
    size: () => size,
    add(key, entry) {
      size += 1;
      const line = lines.get(key);
      if (line !== undefined) {
        line.entries.push(entry);
        return;
      }
      const created = { key, entries: [entry] };
      lines.set(key, created);
      order.push(created);
    },
    take(max) {
      const batch: Entry[] = [];
      const again: Line<Entry>[] = [];
      while (batch.length < max) {
        const line = next();
        if (line === undefined) break;
        batch.push(line.entries.shift() as Entry);
        if (line.entries.length > 0) again.push(line);
        else lines.delete(line.key);
      }
      order.push(...again);
      size -= batch.length;
      return batch;
    },
  };
}
