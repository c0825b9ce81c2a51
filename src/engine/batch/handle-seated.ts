import type { Seat } from './seat.ts';

/**
 * Handles a message of a batch: in its seat, or later without one where it has to run alone. `isRepeated`: an earlier
 * seat of its lane has the same message. Undefined: its lane has ended before it, and it is not claimed.
 */
export async function handleSeated<T>(
  seat: Seat,
  isRepeated: boolean,
  handle: (seat: Seat | undefined) => Promise<T>,
): Promise<T | undefined> {
  if (!isRepeated) {
    const handled = await handle(seat);
    if (!seat.hasToWait) return handled;
  }
  return (await seat.turn()) ? await handle(undefined) : undefined;
}
