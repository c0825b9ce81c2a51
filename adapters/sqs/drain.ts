/** The time that handlers get to finish. It can be shortened, and not lengthened. */
export interface Drain {
  /** Resolves when the time is over. */
  readonly over: Promise<void>;
  endWithin(milliseconds: number): void;
  cancel(): void;
}

export function createDrain(): Drain {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  let endsAt = Infinity;
  let timer: NodeJS.Timeout | undefined;
  return {
    over,
    endWithin(milliseconds) {
      const at = performance.now() + milliseconds;
      if (at >= endsAt) return;
      endsAt = at;
      clearTimeout(timer);
      timer = setTimeout(end, milliseconds);
    },
    cancel() {
      clearTimeout(timer);
    },
  };
}
