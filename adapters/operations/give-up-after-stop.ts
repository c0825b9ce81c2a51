import { systemClock } from '../../src/lib/clock.ts';
import { endsBeforeAbort } from '../../src/lib/wait.ts';
import { createReplyLimit } from '../../src/store/reply-in-time.ts';

/** A step takes milliseconds. A process that stops has its clients to end after this time. */
const PATIENCE_MS = 3_000;

/** The work; a `StoreError` where it has not ended some seconds after the signal: a connection can hang. */
export async function giveUpAfterStop<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (await endsBeforeAbort(work, signal)) return await work;
  return await createReplyLimit(PATIENCE_MS, systemClock)(work);
}
