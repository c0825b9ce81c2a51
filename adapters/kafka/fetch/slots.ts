export type Slots = ReturnType<typeof createSlots>;

/** Room for a number of handlers at once. Lines have turns, and in each it is given out in the order of requests. */
export function createSlots(count: number) {
  /** Those that wait, the one whose turn is next first. None is empty. */
  const lines = new Map<string, (() => void)[]>();
  let free = count;

  function wait(line: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = lines.get(line);
      if (waiting === undefined) lines.set(line, [resolve]);
      else waiting.push(resolve);
    });
  }

  function next(): (() => void) | undefined {
    for (const [line, waiting] of lines) {
      const first = waiting.shift();
      lines.delete(line);
      if (waiting.length > 0) lines.set(line, waiting);
      return first;
    }
    return undefined;
  }

  function pass(): void {
    const first = next();
    if (first === undefined) free += 1;
    else first();
  }

  function once(giveBack: () => void): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      giveBack();
    };
  }

  return {
    /** Waits for room. Returns what gives it back, once. */
    async take(line: string): Promise<() => void> {
      if (free > 0) free -= 1;
      else await wait(line);
      return once(pass);
    },
  };
}
