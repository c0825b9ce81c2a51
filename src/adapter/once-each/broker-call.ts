import type { Clock } from '../../lib/clock.ts';
import { endsWithin } from '../../lib/wait.ts';

/** Longer than any broker needs for a reply. */
const CALL_TIMEOUT_MS = 15_000;

/** What a call to a broker gives. Rejects when it throws, and when it has no end within 15 seconds. */
export async function brokerCall<T>(clock: Clock, call: () => T | PromiseLike<T>): Promise<T> {
  const reply = Promise.resolve(call());
  if (await endsWithin(reply, CALL_TIMEOUT_MS, clock)) return await reply;
  throw new DOMException(`the broker gave no answer within ${CALL_TIMEOUT_MS} ms`, 'TimeoutError');
}
