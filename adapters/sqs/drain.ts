import type { Clock, Timer } from '../../src/adapter-kit.ts';

/** The time that handlers get to finish. It can be shortened, and not lengthened. */
export interface Drain {
  /** Resolves when the time is over. */
  readonly over: Promise<void>;
  endWithin(milliseconds: number): void;
  cancel(): void;
}

export function createDrain(clock: Clock): Drain {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  let endsAt = Infinity;
  let timer: Timer | undefined;
  return {
    over,
    endWithin(milliseconds) {
      const at = clock.monotonic() + milliseconds;
      if (at >= endsAt) return;
      endsAt = at;
      clock.clearTimer(timer);
      timer = clock.setTimer(end, milliseconds);
    },
    cancel() {
      clock.clearTimer(timer);
    },
  };
}
