import type { Seat } from './seat.ts';

/**
 * Handles a message of a batch: in its seat, and once more without one where it has to run alone, or where another seat
 * has the same message. Undefined: its lane has ended before it, and it is not claimed.
 */
export async function handleSeated<T>(
  seat: Seat,
  handle: (seat: Seat | undefined) => Promise<T>,
): Promise<T | undefined> {
  const handled = await handle(seat);
  if (!seat.hasToWait) return handled;
  return (await seat.turn()) ? await handle(undefined) : undefined;
}
