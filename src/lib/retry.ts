import type { Clock } from './clock.ts';

/** How waits between tries grow. */
interface Growth {
  readonly baseMs: number;
  readonly maxMs: number;
  /** Default: 2. */
  readonly factor?: number;
}

/** Milliseconds to wait after so many failures, from 1. With a clock half of it is random: waiters do not meet. */
export function retryWait(
  { baseMs, maxMs, factor = 2 }: Growth,
  failures: number,
  clock?: Pick<Clock, 'random'>,
): number {
  const milliseconds = Math.min(maxMs, baseMs * factor ** (failures - 1));
  return clock === undefined ? milliseconds : milliseconds / 2 + (clock.random() * milliseconds) / 2;
}
