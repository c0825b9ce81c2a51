/** Room for a number of handlers at once, given out in the order of the requests. */
export interface Slots {
  /** Waits for room. Returns what gives it back, once. */
  take(): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;

  function pass(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
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
    async take() {
      if (free > 0) free -= 1;
      else {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
      return once(pass);
    },
  };
}
