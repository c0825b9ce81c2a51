/** Room for a number of handlers at once, given out in the order of the requests. */
export interface Slots {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;

  async function take(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  }

  function giveBack(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async run(work) {
      await take();
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
  };
}
