import type { Clock } from './clock.ts';

/** How waits between tries grow. */
interface Growth {
  readonly baseMs: number;
  readonly maxMs: number;
  /** Default: 2. */
  readonly factor?: number;
}

/** Milliseconds to wait after so many failures, from 1. */
export function retryWait({ baseMs, maxMs, factor = 2 }: Growth, failures: number): number {
  return Math.min(maxMs, baseMs * factor ** (failures - 1));
}

/** A random time in the upper half, so that many waiters do not meet. */
export function spread(milliseconds: number, clock: Pick<Clock, 'random'>): number {
  return milliseconds / 2 + (clock.random() * milliseconds) / 2;
}
