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
  while (due < dueAt.length) {
    const waitMs = (dueAt[due] ?? 0) - sharedClock();
    Atomics.wait(never, 0, 0, Math.max(PACE_MS, waitMs));
    const time = sharedClock();
    const from = due;
    while ((dueAt[due] ?? Infinity) <= time) due += 1;
    writeSync(STDOUT, Buffer.alloc(due - from));
  }
});
process.once('disconnect', () => process.exit());
process.send?.('listening');
