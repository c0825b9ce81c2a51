import { setTimeout as sleep } from 'node:timers/promises';

/** 512 KiB. Measured: steps of 512 pages raise concurrent claims from 4.5 to 7.5 ms at p99; steps of 64 do not. */
export const PAGES_PER_STEP = 64;
const SHORTEST_PAUSE_MS = 5;
/** A walk takes at most a fifth of a connection's time: on a busy server steps take longer, and pauses with them. */
const PAUSES_PER_STEP = 4;
/** Half of the runner's lease: a longer pause would let another process take the walk over. */
const LONGEST_PAUSE_MS = 30_000;
const LOOK_EVERY_MS = 1_000;

/** The first place of a step that begins with a page, and the first behind it: two `ctid`, as text. */
export function placesOf(page: number): [from: string, to: string] {
  return [`(${page},0)`, `(${page + PAGES_PER_STEP},0)`];
}

/** A longer rest after a step that took longer, but not once nothing is to follow. */
export async function rest(tookMs: number, mayGoOn: () => boolean): Promise<void> {
  let leftMs = Math.min(Math.max(SHORTEST_PAUSE_MS, PAUSES_PER_STEP * tookMs), LONGEST_PAUSE_MS);
  while (leftMs > 0 && mayGoOn()) {
    await sleep(Math.min(leftMs, LOOK_EVERY_MS));
    leftMs -= LOOK_EVERY_MS;
  }
}
