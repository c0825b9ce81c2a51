import type { Clock, Timer } from '../../src/adapter-kit.ts';

/** The time that handlers get to finish. It can be shortened, and not lengthened. */
export function createDrain(clock: Clock) {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  let endsAt = Infinity;
  let timer: Timer | undefined;
  return {
    /** Resolves when the time is over. */
    over,
    endWithin(milliseconds: number): void {
      const at = clock.monotonic() + milliseconds;
      if (at >= endsAt) return;
      endsAt = at;
      clock.clearTimer(timer);
      timer = clock.setTimer(end, milliseconds);
    },
    cancel(): void {
      clock.clearTimer(timer);
    },
  };
}

export type Drain = ReturnType<typeof createDrain>;
