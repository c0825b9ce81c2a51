import { Life } from '../../proof/simulation/time/life.ts';
import { Random } from '../../proof/simulation/time/random.ts';
import { Scheduler } from '../../proof/simulation/time/scheduler.ts';
import type { Clock } from '../../src/lib/clock.ts';

export interface VirtualTime {
  readonly clock: Clock;
  /** Lets everything happen that is due in the next milliseconds. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the wall clock, forward or back. */
  setWallClock(byMs: number): void;
  /** Keeps timers from ringing, while both clocks go on. */
  standStill(milliseconds: number): void;
}

/**
 * Time that only what is tested can see. Fake timers of the process also ring for what other files have left behind,
 * and half a day of a poll takes minutes.
 */
export function createVirtualTime(): VirtualTime {
  const random = new Random(1);
  const scheduler = new Scheduler(random);
  const life = new Life('worker', 'worker.1', scheduler, random, true);
  return {
    clock: life.clock,
    setWallClock(byMs) {
      life.setWallClock(byMs);
    },
    standStill(milliseconds) {
      life.standStill(milliseconds);
    },
    async advance(milliseconds) {
      let isOver = false;
      scheduler.after(milliseconds, () => {
        isOver = true;
      });
      await scheduler.run(() => isOver);
    },
  };
}
