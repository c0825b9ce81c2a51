import type { Clock } from '../lib/clock.ts';
import { endsWithin } from '../lib/wait.ts';
import type { Noted } from './recorded.ts';

/** A write takes milliseconds, and a process that stops has seconds for all. */
const PATIENCE_MS = 3_000;

/** Writes what was noted so far, unless the database gives no answer in time. Never throws. */
export async function flush(kept: readonly Noted[], clock: Clock): Promise<void> {
  if (kept.length > 0) await endsWithin(flushInOrder(kept), PATIENCE_MS, clock);
}

/** Each can note in a later one what it could not write. */
async function flushInOrder(kept: readonly Noted[]): Promise<void> {
  for (const { flush } of kept) await flush();
}
