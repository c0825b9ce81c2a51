import { type Clock, systemClock, type Timer } from './clock.ts';

/** Whether something ends within a time. It goes on in any case. */
export async function endsWithin(
  work: Promise<unknown>,
  milliseconds: number,
  clock: Clock = systemClock,
): Promise<boolean> {
  let timer: Timer | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = clock.setTimer(() => {
      resolve(false);
    }, milliseconds);
  });
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    clock.clearTimer(timer);
  }
}
