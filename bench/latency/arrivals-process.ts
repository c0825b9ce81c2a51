/**
 * Says when messages are due: it writes a byte for each. A process of its own can sleep by the microsecond; timers of
 * Node, a millisecond apart, would make batches of them.
 */
import { writeSync } from 'node:fs';
import { sharedClock } from './clock.ts';

const STDOUT = 1;
/** Between two looks. What is due meanwhile is read at once. */
const PACE_MS = 0.25;
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

process.on('message', (dueAt: readonly number[]) => {
  let due = 0;
  let told = 0;
  while (told < dueAt.length) {
    const waitMs = (dueAt[due] ?? 0) - sharedClock();
    Atomics.wait(never, 0, 0, Math.max(PACE_MS, waitMs));
    const time = sharedClock();
    while ((dueAt[due] ?? Infinity) <= time) due += 1;
    told += written(due - told);
  }
});
process.once('disconnect', () => process.exit());
process.send?.('listening');

/** How many bytes the pipe took: one whose reader is frozen is full, and the rest is written at the next look. */
function written(bytes: number): number {
  try {
    return writeSync(STDOUT, Buffer.alloc(bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
